// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/halo.hpp>

#include <cstdint>
#include <vector>

namespace typewarp::test {

/// The oracle of accumulate(): what the owners of elements have when all processes' halos have been gone
/// through one by one. Of an array of 5 x 4 owned elements a process, on a grid of two dimensions of which
/// the first alone is periodic.
class Contributions {
 public:
  /// Element after element in C order, halos and all.
  using Numbers = std::vector<std::int64_t>;

  /// `numbers` of an element.
  explicit Contributions(const halo::ProcessGrid& grid, int numbers = 1);

  static std::vector<halo::Descriptor> descriptors();
  const halo::ProcessGrid& grid() const { return grid_; }
  std::int64_t numbers() const { return numbers_; }
  /// What this process has before, different in all places.
  Numbers initial() const;
  /// After an accumulation of the halos on these sides (empty: all).
  Numbers expected(Operation operation, const std::vector<halo::Direction>& sides = {}) const;

 private:
  struct Place {
    std::int64_t i, j;
  };
  /// Goes through all elements of an array.
  template <typename Visit>
  static void for_each(Visit visit);
  std::size_t index(Place place, std::int64_t number) const;

  const halo::ProcessGrid grid_;
  std::int64_t numbers_;
};

}  // namespace typewarp::test
