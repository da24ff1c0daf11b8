// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "halo/fields.hpp"
#include "halo/patch.hpp"
#include "transport/fixture.hpp"

namespace typewarp::test {

/// Fields of different elements and layouts, 5 owned elements and more along each dimension of a grid.
class HaloPatches : public Session {
 protected:
  HaloPatches(std::vector<int> sizes, std::vector<bool> periodic, std::vector<Datatype> elements)
      : sizes_(std::move(sizes)), periodic_(std::move(periodic)), elements_(std::move(elements)) {}

  void SetUp() override;
  void TearDown() override;

  /// A set of them, in memory of their own, with numbers from `first` on.
  std::vector<Patch> patches(std::uint64_t first) const;
  static void fill(std::vector<Patch>& patches);
  void fill() { fill(patches_); }
  static void expect_right(std::vector<Patch>& patches, std::int64_t width = halo::full_width);
  void expect_right() { expect_right(patches_); }

  std::unique_ptr<halo::ProcessGrid> grid_;
  std::vector<Patch> patches_;
  std::vector<halo::Field> fields_;

 private:
  std::vector<int> sizes_;
  std::vector<bool> periodic_;
  std::vector<Datatype> elements_;
};

std::vector<void*> addresses(const std::vector<Patch>& patches);

/// Three on a periodic grid of three dimensions, of which one has one process.
class HaloThreePatches : public HaloPatches {
 protected:
  HaloThreePatches()
      : HaloPatches({0, 0, 1}, {true, true, true},
                    {Named::int_, Named::double_, contiguous(3, Named::double_)}) {}
};

}  // namespace typewarp::test
