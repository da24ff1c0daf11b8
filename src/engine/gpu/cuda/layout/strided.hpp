// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace typewarp::gpu {

struct Level {
  std::int64_t count;
  std::int64_t stride;  ///< bytes
  friend bool operator==(const Level&, const Level&) = default;
};

/// Nested regular repetition as a list of levels, innermost first: byte p of the packed stream has the
/// mixed-radix digits of p over the counts, and lies at the sum of digit * stride. The innermost level is the
/// run, with stride 1.
struct Strided {
  static constexpr std::size_t capacity = 6;
  std::array<Level, capacity> levels{};
  std::size_t depth = 0;

  bool contiguous() const noexcept { return depth == 1; }
  /// The largest power of two <= 16 that divides the run and every stride.
  std::int64_t grain() const noexcept;
  /// Adds a level outside of all others. False if there is no room for it.
  bool add(Level level);
  /// Makes the outermost level longer where `level` continues it; false if it does not.
  bool extend(Level level);
};

}  // namespace typewarp::gpu
