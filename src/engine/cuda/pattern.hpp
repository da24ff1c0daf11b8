// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/cuda/launch.hpp"
#include "engine/cuda/shape.hpp"

#include <optional>

/// Small items a fixed stride apart, such as arrays of structs: a thread block passes some of them at a time
/// through shared memory, so that memory is accessed in wide words although the runs of the layout are short
/// and lie at any place.
namespace typewarp::cuda {

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

/// How a pattern is spread over threads: the numbers were measured on an H200 (docs/measuring.md).
struct PatternPolicy {
  int threads = 256;        ///< of one block, about
  int unit = 4;             ///< packed bytes that a thread puts together at a time: 4 or 8
  int pack_image = 9216;    ///< user bytes of a tile in shared memory, about
  int unpack_image = 6144;  ///< packed bytes of a tile in shared memory, about
  int copy_image = 9216;    ///< source bytes of a tile in shared memory, about
  int blocks_per_multiprocessor = 8;
  int paced_blocks = 4;  ///< the same for OccupancyLimit::link
};

/// Some items, at which the alignment of both sides repeats; a tile is some of these groups.
struct Groups {
  std::int32_t items;
  std::int32_t slots;      ///< units or chunks of a group: one a thread
  std::int32_t at_a_time;  ///< groups that a block moves at a time
  std::int32_t of_tile;
  std::int32_t image;  ///< bytes of a tile in shared memory: a multiple of 16
  std::uint32_t tiles;
  std::int64_t stride;  ///< user bytes from group to group
  std::int32_t packed;  ///< packed bytes of one group
};

/// Bytes that are consecutive on both sides and stored at once: 8, 4, 2 or 1, aligned where they are stored.
/// Everything in bytes from the group's beginning.
struct Chunk {
  std::int32_t place;   ///< in the destination
  std::int32_t source;  ///< in the source
  std::uint16_t packed;
  std::uint16_t bytes;
};

/// Parameters of a kernel that packs. Units are aligned in memory.
struct PatternPack {
  const std::byte* user;    ///< lowest byte of the item that unit 0 begins in
  const std::byte* lowest;  ///< bytes in [lowest, highest) may be read
  const std::byte* highest;
  std::byte* packed;  ///< where unit 0 lies
  std::uint32_t units;
  std::int32_t first;       ///< byte of its item that unit 0 begins with
  std::int32_t before;      ///< bytes from the beginning of the range to unit 0
  std::int32_t head, tail;  ///< bytes of the range before unit 0, and after the last one
  Groups groups;
  std::int32_t low_place;  ///< of all bytes of a group, its units beginning anywhere in the first item
  Pattern pattern;
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

/// Parameters of a kernel that stores into items.
struct PatternScatter {
  static constexpr int max_chunks = 256;
  /// Packed bytes of a group, at most.
  static constexpr int max_packed = 4096;

  std::byte* user;          ///< lowest byte of the first item
  const std::byte* lowest;  ///< the items in range lie in [lowest, highest)
  const std::byte* highest;
  const std::byte* source;         ///< lowest byte of the first item's source
  const std::byte* source_lowest;  ///< bytes in [source_lowest, source_highest) may be read
  const std::byte* source_highest;
  std::int64_t source_stride;  ///< bytes from group to group
  std::int64_t low_place;      ///< the lowest byte of a tile's source, from that of its first item
  std::uint32_t begin, end;    ///< the packed bytes to be moved, from the first item's first on
  Groups groups;
  Chunk chunks[max_chunks];
};

/// The chunks of the first `items` items of a pattern whose lowest byte lies at an address that is
/// `misalignment` modulo 8, in packed order. Returns how many there are, or would be, of which `most` are
/// stored.
int cut(const Pattern& pattern, const PatternSource& source, int items, int misalignment, Chunk* chunks,
        int most);

/// `base` is where the first byte of the layout lies, `packed` where byte 0 of the stream lies or would lie.
/// A range spans less than 2 GiB and is not empty.
PatternPack pattern_pack(const Pattern& pattern, const PatternPolicy& policy, const std::byte* base,
                         std::byte* packed, ByteRange range, int multiprocessors);
PatternScatter pattern_unpack(const Pattern& pattern, const PatternPolicy& policy, std::byte* base,
                              const std::byte* packed, ByteRange range, int multiprocessors);

/// Between two layouts with patterns, each with its base. None where the items differ in size, or do not have
/// enough consecutive bytes in common.
std::optional<PatternScatter> pattern_copy(const Pattern& destination, std::byte* base, const Pattern& source,
                                           const std::byte* source_base, const PatternPolicy& policy,
                                           ByteRange range, int multiprocessors);

/// Enqueues one kernel on the current device, which moves bytes `range` of the packed stream; throws
/// CudaError if that fails. Addresses and range as above.
void launch_pattern(Direction direction, const LaunchContext& context, const Pattern& pattern,
                    std::byte* base, std::byte* packed, ByteRange range);

/// The same from layout to layout. False, and nothing is done, where there is no pattern_copy().
bool launch_pattern_copy(const LaunchContext& context, const Pattern& destination, std::byte* base,
                         const Pattern& source, const std::byte* source_base, ByteRange range);

/// Loads the kernels onto the current device.
void load_pattern();

}  // namespace typewarp::cuda
