// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace typewarp::test {

/// splitmix64: the same numbers for the same seed on every platform, which std's distributions do not
/// promise.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  /// From low to high, both included. The bias of the remainder is of no concern for small ranges.
  std::int64_t range(std::int64_t low, std::int64_t high) {
    const std::uint64_t width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
    return low + static_cast<std::int64_t>(width == 0 ? next() : next() % width);
  }

  bool one_in(std::int64_t n) { return range(1, n) == 1; }

  template <typename T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i) {
      std::swap(values[i - 1], values[static_cast<std::size_t>(range(0, static_cast<std::int64_t>(i) - 1))]);
    }
  }

 private:
  std::uint64_t state_;
};

}  // namespace typewarp::test
