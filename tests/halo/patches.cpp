// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/patches.hpp"

#include <algorithm>
#include <numeric>

namespace typewarp::test {

void HaloPatches::SetUp() {
  Session::SetUp();
  if (IsSkipped()) return;
  grid_ = std::make_unique<halo::ProcessGrid>(comm_, sizes_, periodic_);
  patches_ = patches(0);
  for (const Patch& patch : patches_) fields_.push_back(patch.field());
}

void HaloPatches::TearDown() {
  fields_.clear();
  patches_.clear();
  grid_.reset();
  Session::TearDown();
}

std::vector<Patch> HaloPatches::patches(std::uint64_t first) const {
  std::vector<int> order(sizes_.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<Patch> made;
  for (const Datatype& element : elements_) {
    Whole whole{element, {}, halo::Storage::permuted(order)};
    for (std::size_t d = 0; d < sizes_.size(); ++d) {
      const auto processes = static_cast<std::size_t>(grid_->sizes()[d]);
      const auto number = static_cast<int>(d);
      whole.axes.push_back({std::vector<std::int64_t>(processes, 5 + number), 2, 1, 0, 1, number});
    }
    made.emplace_back(*grid_, whole, first + made.size());
    std::ranges::rotate(order, order.end() - 1);
  }
  return made;
}

void HaloPatches::fill(std::vector<Patch>& patches) {
  for (Patch& patch : patches) patch.fill();
}

void HaloPatches::expect_right(std::vector<Patch>& patches, std::int64_t width) {
  for (Patch& patch : patches) EXPECT_EQ(patch.difference({}, width).value_or("none"), "none");
}

std::vector<void*> addresses(const std::vector<Patch>& patches) {
  std::vector<void*> data;
  for (const Patch& patch : patches) data.push_back(patch.field().data());
  return data;
}

}  // namespace typewarp::test
