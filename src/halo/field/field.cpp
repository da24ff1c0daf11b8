// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/halo_field.hpp>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

namespace typewarp::halo {
namespace {

constexpr std::string_view call = "typewarp::halo::Field";

void check_along(const std::vector<int>& along, std::size_t dimensions) {
  if (along.size() != dimensions) {
    throw InvalidArgument(call, "along.size()", static_cast<long long>(along.size()),
                          "must be " + std::to_string(dimensions) + ", one entry a dimension");
  }
  for (std::size_t d = 0; d < dimensions; ++d) {
    const std::string name = "along[" + std::to_string(d) + "]";
    if (along[d] == Field::undivided) continue;
    if (along[d] < 0 || along[d] >= static_cast<int>(max_dimensions)) {
      throw InvalidArgument(call, name, along[d], "must be a dimension of the process grid, or undivided");
    }
    if (std::find(along.begin(), along.begin() + static_cast<std::ptrdiff_t>(d), along[d]) !=
        along.begin() + static_cast<std::ptrdiff_t>(d)) {
      throw InvalidArgument(call, name, along[d], "must not be that of another dimension too");
    }
  }
}

std::int64_t extent_of(const Datatype& element) {
  if (element.null()) throw InvalidArgument(call, "element", "null", "must not be null");
  if (element.size() == 0 || element.extent() < element.true_extent()) {
    throw InvalidArgument(call, "element", element.to_string(),
                          "must hold bytes, and have an extent that spans them");
  }
  return element.extent();
}

}  // namespace

Field::Field(void* data, Datatype element, std::vector<Descriptor> descriptors, const Storage& storage,
             std::vector<int> along)
    : data_(data),
      element_(std::move(element)),
      descriptors_(std::move(descriptors)),
      along_(std::move(along)) {
  const std::int64_t extent = extent_of(element_);
  check(descriptors_);
  strides_ = storage.strides(descriptors_, extent);
  if (along_.empty()) {
    along_.resize(dimensions());
    std::iota(along_.begin(), along_.end(), 0);
  }
  check_along(along_, dimensions());
}

std::vector<int> Field::order() const {
  std::vector<int> order(dimensions());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](int d) { return std::abs(strides_[static_cast<std::size_t>(d)]); });
  return order;
}

int Field::step(const Direction& direction, std::size_t d) const noexcept {
  return along_[d] == undivided ? 0 : direction[static_cast<std::size_t>(along_[d])];
}

Datatype Field::part(std::span<const Range> box, std::span<const int> order) const {
  Datatype part = element_;
  std::int64_t displacement = 0;
  for (std::size_t k = order.size(); k-- > 0;) {
    const auto d = static_cast<std::size_t>(order[k]);
    part = hvector(box[d].length(), 1, strides_[d], part);
    displacement += box[d].begin * strides_[d];
  }
  return hindexed({1}, {displacement}, part);
}

}  // namespace typewarp::halo
