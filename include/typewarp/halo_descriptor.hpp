// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/error.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

/// Halos of regular grids, as in the GCL (paper 004): which indices of an array a process owns and computes,
/// and which are copies of elements that its neighbours compute.
namespace typewarp::halo {

/// The most dimensions of an array, and of a grid of processes.
inline constexpr std::size_t max_dimensions = 8;

/// Indices [begin, end).
struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  std::int64_t length() const noexcept { return end - begin; }
  friend bool operator==(const Range&, const Range&) = default;
};

/// A range for each dimension of an array.
using Box = std::vector<Range>;

/// One dimension of an array, in elements, indices from 0:
///
///     | padding | minus | owned: [begin, end) | plus | padding |     total_length in all
///
/// Indices [begin, end) are owned: `end` is one past the last one (in the GCL it is the last one). The halo
/// has `minus` elements below `begin` and `plus` from `end` on. Rules: nothing is negative, begin >= minus,
/// end > begin, plus <= total_length - end. Neighbours along a dimension have the same minus and plus.
struct Descriptor {
  std::int64_t minus = 0;
  std::int64_t plus = 0;
  std::int64_t begin = 0;
  std::int64_t end = 1;
  std::int64_t total_length = 1;

  /// Owned elements.
  std::int64_t length() const noexcept { return end - begin; }

  Range owned() const noexcept { return {begin, end}; }

  /// The elements that are received from the neighbour at `step` (-1, 0 or 1) along this dimension; for 0 the
  /// owned elements.
  Range received_from(int step) const noexcept;
  /// The elements that are sent to the neighbour at `step`: `minus` of them upwards, `plus` downwards.
  Range sent_to(int step) const noexcept;

  /// The same with a halo of at most `width` elements on either side.
  Descriptor narrowed(std::int64_t width) const noexcept;

  friend bool operator==(const Descriptor&, const Descriptor&) = default;
};

/// A dimension of `length` owned elements without a halo.
Descriptor without_halo(std::int64_t length);
/// `length` owned elements between halos of `width` elements, and no padding.
Descriptor with_halo(std::int64_t length, std::int64_t width);

/// Throws InvalidArgument that names "descriptors[d].begin" and the like, unless there are 1 to
/// max_dimensions descriptors and all rules hold.
void check(std::span<const Descriptor> descriptors);

/// The direction of a neighbour: a step of -1, 0 or 1 along each dimension of the process grid, not all 0.
using Direction = std::vector<int>;

/// All 3^n - 1, the last dimension fastest.
std::vector<Direction> all_directions(std::size_t dimensions);
/// The 2 n directions along a single dimension.
std::vector<Direction> faces(std::size_t dimensions);
/// The opposite direction.
Direction opposite(const Direction& direction);

/// A width that does not narrow any halo.
inline constexpr std::int64_t full_width = std::numeric_limits<std::int64_t>::max();

}  // namespace typewarp::halo
