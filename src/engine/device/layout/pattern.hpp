// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/layout/shape.hpp"

#include <optional>

/// Small items a fixed stride apart, such as arrays of structs.
namespace typewarp::gpu {

/// One item of such a layout, the same for every device.
struct Pattern {
  static constexpr std::int64_t max_size = 1024;
  static constexpr std::int64_t max_footprint = 2048;
  /// Holes are read too, so that they must be smaller than what is read for nothing anyway: a segment of
  /// memory. User bytes for each packed one, at most.
  static constexpr std::int64_t max_spread = 4;

  std::int64_t stride;             ///< user bytes from item to item, negative ones too
  std::int64_t low;                ///< the item's lowest byte, from the base of the layout
  std::int32_t size;               ///< packed bytes
  std::int32_t footprint;          ///< user bytes from the item's first to behind its last
  std::uint16_t places[max_size];  ///< of each packed byte, from `low`

  /// Whether this is the pattern of `shape`, a shape of the plan that it was made from.
  bool is_of(const Shape& shape) const noexcept {
    return shape.outer_step() == size && shape.strided.levels[shape.strided.depth - 1].stride == stride;
  }
};

/// The pattern of the outermost level of `shape`, which is a shape of items with `encoding`, `extent` apart.
/// None where kernels that go word by word do as well: items too large, too sparse, contiguous, or of words
/// of 4 bytes and more.
std::optional<Pattern> pattern_of(const plan::Encoding& encoding, const Shape& shape, std::int64_t extent);

/// Bytes that are consecutive on both sides and stored at once: 8, 4, 2 or 1, aligned where they are stored.
/// Everything in bytes from the group's beginning.
struct Chunk {
  static constexpr int widest = 8;
  /// Chunks of a group, and its packed bytes, at most.
  static constexpr int most = 256;
  static constexpr int most_packed = 4096;

  std::int32_t place;   ///< in the destination
  std::int32_t source;  ///< in the source
  std::uint16_t packed;
  std::uint16_t bytes;
};

/// Where the bytes of items come from: other items of the same packed size, or the packed stream.
struct PatternSource {
  const std::uint16_t* places;  ///< of each packed byte, from the item's lowest; null if they are consecutive
  std::int64_t stride;          ///< bytes from item to item
  std::int32_t footprint;       ///< bytes from an item's first to behind its last

  std::int32_t place(std::int32_t byte) const noexcept { return places == nullptr ? byte : places[byte]; }
};

PatternSource source_of(const Pattern& pattern);
PatternSource packed_source(const Pattern& pattern);

/// The chunks of the first `items` items of a pattern whose lowest byte lies at an address that is
/// `misalignment` modulo 8, in packed order. Returns how many there are, or would be, of which `most` are
/// stored.
int cut(const Pattern& pattern, const PatternSource& source, int items, int misalignment, Chunk* chunks,
        int most);

/// Groups of as many items as the limits of Chunk allow, so that chunks are wide: their chunks, of which
/// there may be more than Chunk::most in a group of one item, and how many there are.
int cut_group(const Pattern& pattern, const PatternSource& source, int misalignment, Chunk* chunks,
              int& count);

/// Items after which a stride and a packed size are multiples of `alignment`, a power of two.
int items_until_aligned(std::int64_t stride, std::int64_t size, int alignment);

}  // namespace typewarp::gpu
