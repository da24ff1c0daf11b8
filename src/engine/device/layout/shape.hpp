// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/layout/view.hpp"
#include "plan/encoding.hpp"

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

/// A layout as the kernels can walk it fast: nested repetition with at most one irregular level.
struct Shape {
  /// With a lookup list, the list's level has a stride that means nothing. With rank and search, the lookup
  /// is level 0, whose count is the bytes of one irregular item.
  Strided strided;
  Lookup lookup = Lookup::none;
  std::size_t lookup_level = 0;
  /// Whether the list is of equal units of the node's runs, not of its blocks.
  bool lists_units = false;
  /// Index in the encoding of the node that the lookup stands for.
  std::size_t node = 0;

  bool contiguous() const noexcept { return lookup == Lookup::none && strided.contiguous(); }
  /// Adds a repetition outside of all levels. False if there is no room for it.
  bool repeat(std::int64_t count, std::int64_t stride);
  /// Packed bytes of one step of the outermost level; saturates at 2^63 - 1.
  std::int64_t outer_step() const noexcept;
  /// Whether a view with 32-bit indices holds this shape in words of 1 << word_log2 bytes, from any byte on.
  bool fits(int word_log2) const noexcept;
};

/// The shape of one item. Lookup::generic, with nothing else said, where no other fits: more levels than a
/// view holds, irregular lists in irregular lists of more than `flat_runs` runs, or items of too many words.
Shape shape_of(const plan::Encoding& encoding);

/// Bytes of a run of an irregular item of this shape, on average; 1 of a regular one. Flattens what is to be
/// looked up by rank or search.
double average_run(const plan::Encoding& encoding, const Shape& shape);

/// What a kernel sees from packed byte `begin` on, which is a multiple of the word: `base` is where the first
/// byte of the layout lies. Precondition: shape.fits(word_log2). Bounds are not set.
View levels_view(const Shape& shape, const Lists& lists, std::byte* base, std::int64_t begin, int word_log2);

/// Runs of an irregular item of any depth that are listed one by one, at most: on first use on a device,
/// which costs some 50 ns each.
inline constexpr std::int64_t flat_runs = std::int64_t{1} << 20;
/// Irregular items whose runs have at most this many units on average are looked up in a list of the units:
/// one access finds a unit there, where a rank takes two. Such are equal blocks of which some touch.
inline constexpr double list_units = 1.25;
/// Irregular items whose runs have at most this many units on average are looked up by rank: its memory grows
/// with the units, that of a search with the runs.
inline constexpr std::int64_t rank_units = 16;

}  // namespace typewarp::gpu
