// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/layout.hpp>

#include <array>
#include <cstddef>
#include <optional>

namespace typewarp::cuda {

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
};

/// `count` >= 1 layouts, `extent` bytes apart, if they are nested repetitions of a run, of at most
/// Strided::capacity levels once those that continue each other are joined, each of a count within 64 bits.
std::optional<Strided> strided(const Layout& layout, std::int64_t count, std::int64_t extent);

}  // namespace typewarp::cuda
