// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/kernels/method_row.hpp"
#include "engine/device/layout/pattern.hpp"
#include "engine/runtime/launch_context.hpp"

#include <optional>

/// How kernels move items of a pattern: a thread block passes some of them at a time through shared memory,
/// so that memory is accessed in wide words although the runs of the layout are short and lie at any place.
namespace typewarp::gpu {

/// How a pattern is spread over threads: the numbers were measured on an H200 (docs/internals/measuring.md).
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

/// Parameters of a kernel that stores into items.
struct PatternScatter {
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
  Chunk chunks[Chunk::most];
};

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

/// Enqueues one kernel on the context's device, which is current, and moves bytes `range` of the packed
/// stream; throws GpuError if that fails. Addresses and range as above.
void launch_pattern(Direction direction, const LaunchContext& context, const Pattern& pattern,
                    std::byte* base, std::byte* packed, ByteRange range);

/// The same from layout to layout. False, and nothing is done, where there is no pattern_copy().
bool launch_pattern_copy(const LaunchContext& context, const Pattern& destination, std::byte* base,
                         const Pattern& source, const std::byte* source_base, ByteRange range);

extern const MethodRow pattern_row;
/// False, having done nothing, where items of both sides have too little in common.
bool launch_pattern(const Move& move);

}  // namespace typewarp::gpu
