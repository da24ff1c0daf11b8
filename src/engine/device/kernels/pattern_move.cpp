// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/kernels/pattern_move.hpp"

#include "engine/device/kernels/launch.hpp"
#include "engine/runtime/displaced.hpp"

#include <algorithm>
#include <cstdlib>

namespace typewarp::gpu {
namespace {

/// Items of one word of 2 bytes are no patterns to pack; nor to unpack, where the stride between them is more
/// than so many times their size (up to there 11 % faster as a pattern, beyond it 2 to 12 % slower on an
/// H200).
constexpr int alone = 2;

/// Spreads `total` groups, of which each has `image` bytes in shared memory, over tiles: large ones, but not
/// so large that multiprocessors are left without.
/// `room` is what an image may take.
void spread(Groups& groups, const PatternPolicy& policy, std::int64_t total, std::int64_t image, int room,
            int multiprocessors) {
  groups.at_a_time = std::max(1, policy.threads / groups.slots);
  const std::int64_t passes = room / image / groups.at_a_time;
  const std::int64_t step =
      std::int64_t{multiprocessors} * policy.blocks_per_multiprocessor * groups.at_a_time;
  const std::int64_t share = (total + step - 1) / step;
  groups.of_tile =
      static_cast<std::int32_t>(std::max<std::int64_t>(1, std::min(passes, share)) * groups.at_a_time);
  groups.tiles = static_cast<std::uint32_t>((total + groups.of_tile - 1) / groups.of_tile);
}

/// From the lowest byte of a range to behind its highest.
void bound(const std::byte*& lowest, const std::byte*& highest, const Pattern& pattern, const std::byte* base,
           ByteRange range) {
  bool none = true;
  const auto extend = [&](std::int64_t item, std::int64_t begin, std::int64_t end) {
    const auto [low, high] = std::minmax_element(pattern.places + begin, pattern.places + end);
    const std::int64_t user = pattern.low + item * pattern.stride;
    const std::byte* const first_byte = displaced(base, user + *low);
    const std::byte* const behind = displaced(base, user + *high + 1);
    lowest = none ? first_byte : std::min(lowest, first_byte);
    highest = none ? behind : std::max(highest, behind);
    none = false;
  };
  const std::int64_t first = range.begin / pattern.size;
  const std::int64_t last = (range.end - 1) / pattern.size;
  const std::int64_t begin = range.begin - first * pattern.size;
  const std::int64_t end = range.end - last * pattern.size;
  extend(first, begin, first == last ? end : pattern.size);
  if (last > first) extend(last, 0, end);
  // Of those between, one of these two is the lowest and one the highest.
  for (const std::int64_t item : {first + 1, last - 1}) {
    if (item > first && item < last) extend(item, 0, pattern.size);
  }
}

/// Bytes in shared memory that `bytes` from any address on take, read as whole `wide` words.
std::int32_t image_of(std::int64_t bytes) {
  return static_cast<std::int32_t>((bytes + 2 * wide - 2) / wide * wide);
}

/// The destination of a scatter, and what of it is moved.
void begin_scatter(PatternScatter& move, const Pattern& pattern, std::byte* base, ByteRange range) {
  const std::int64_t item = range.begin / pattern.size;
  move.user = displaced(base, pattern.low + item * pattern.stride);
  bound(move.lowest, move.highest, pattern, base, range);
  move.begin = static_cast<std::uint32_t>(range.begin - item * pattern.size);
  move.end = static_cast<std::uint32_t>(range.end - item * pattern.size);
}

/// Spreads the items of a scatter over groups and tiles. More slots than there are chunks say that it cannot
/// be done.
void group(PatternScatter& move, const Pattern& pattern, const PatternSource& source,
           const PatternPolicy& policy, int room, int multiprocessors) {
  Groups& groups = move.groups;
  const auto misalignment = static_cast<int>(reinterpret_cast<std::uintptr_t>(move.user) % Chunk::widest);
  groups.items = cut_group(pattern, source, misalignment, move.chunks, groups.slots);
  groups.packed = groups.items * pattern.size;
  groups.stride = groups.items * pattern.stride;
  move.source_stride = groups.items * source.stride;
  const std::int64_t total = (std::int64_t{move.end} + groups.packed - 1) / groups.packed;
  spread(groups, policy, total, std::abs(move.source_stride), room, multiprocessors);
  const std::int64_t to_last = (std::int64_t{groups.of_tile} * groups.items - 1) * source.stride;
  groups.image = image_of(std::abs(to_last) + source.footprint);
  move.low_place = std::min<std::int64_t>(0, to_last);
}

bool can_pattern(const Query& query) {
  const MoveTraits& move = query.move;
  if (move.has_packed_side()) return move.layout().pattern() != nullptr;
  return move.destination.pattern() != nullptr && move.source.pattern() != nullptr;
}

/// Whether whole items had better not go through shared memory: few of them, or over a link, which wider
/// accesses fill better.
bool few_or_linked(const MoveTraits& move) {
  return move.bytes() <= few_bytes.within_device || move.on_link();
}

/// Whether the items are words that are moved faster one by one.
bool words_alone(const MoveTraits& move, const Pattern& pattern) {
  if (move.word_log2 == 0 || pattern.size != 1 << move.word_log2) return false;
  return move.packs() || std::abs(pattern.stride) > alone * pattern.size;
}

bool suits_pattern(const Query& query) {
  const MoveTraits& move = query.move;
  if (!can_pattern(query)) return false;
  if (!move.has_packed_side()) {
    return move.bytes() > few_bytes.on_link && !move.destination.on_link() && !move.source.on_host();
  }
  return !few_or_linked(move) && !words_alone(move, *move.layout().pattern());
}

}  // namespace

constinit const MethodRow pattern_row{
    .method = Method::pattern,
    .rule =
        [] {
          return "small items a fixed stride apart with odd runs or gaps, more than " +
                 bytes_text(few_bytes.within_device) + " of them, within the device";
        },
    .needs = "small items a fixed stride apart with odd runs or gaps",
    .can = can_pattern,
    .suits = suits_pattern};

PatternPack pattern_pack(const Pattern& pattern, const PatternPolicy& policy, const std::byte* base,
                         std::byte* packed, ByteRange range, int multiprocessors) {
  const auto phase = static_cast<std::int64_t>(-reinterpret_cast<std::uintptr_t>(packed) %
                                               static_cast<std::uintptr_t>(policy.unit));
  const Span span(range, 1, policy.unit, phase);
  const std::int64_t start = span.origin + span.first;
  const std::int64_t item = start / pattern.size;
  PatternPack move;
  move.user = displaced(base, pattern.low + item * pattern.stride);
  bound(move.lowest, move.highest, pattern, base, range);
  move.packed = displaced(packed, start);
  move.units = span.units;
  move.first = static_cast<std::int32_t>(start - item * pattern.size);
  move.before = static_cast<std::int32_t>(span.first);
  move.head = static_cast<std::int32_t>(span.head_end - span.head_begin);
  move.tail = static_cast<std::int32_t>(span.tail_end - span.tail_begin);
  move.pattern = pattern;

  Groups& groups = move.groups;
  groups.items = items_until_aligned(0, pattern.size, policy.unit);
  groups.packed = groups.items * pattern.size;
  groups.slots = groups.packed / policy.unit;
  groups.stride = groups.items * pattern.stride;
  const std::int64_t step = std::abs(groups.stride);
  const std::int64_t total = (std::int64_t{span.units} + groups.slots - 1) / groups.slots;
  spread(groups, policy, total, std::max<std::int64_t>(step, groups.packed), policy.pack_image,
         multiprocessors);
  // One more step: the last units of a group may end in the item after it.
  groups.image = image_of(groups.of_tile * step + pattern.footprint);
  move.low_place = static_cast<std::int32_t>(std::min<std::int64_t>(0, groups.of_tile * groups.stride));
  return move;
}

PatternScatter pattern_unpack(const Pattern& pattern, const PatternPolicy& policy, std::byte* base,
                              const std::byte* packed, ByteRange range, int multiprocessors) {
  PatternScatter move;
  begin_scatter(move, pattern, base, range);
  move.source = displaced(packed, range.begin / pattern.size * pattern.size);
  move.source_lowest = displaced(packed, range.begin);
  move.source_highest = displaced(packed, range.end);
  group(move, pattern, packed_source(pattern), policy, policy.unpack_image, multiprocessors);
  return move;
}

std::optional<PatternScatter> pattern_copy(const Pattern& destination, std::byte* base, const Pattern& source,
                                           const std::byte* source_base, const PatternPolicy& policy,
                                           ByteRange range, int multiprocessors) {
  if (destination.size != source.size) return std::nullopt;
  PatternScatter move;
  begin_scatter(move, destination, base, range);
  move.source = displaced(source_base, source.low + range.begin / source.size * source.stride);
  bound(move.source_lowest, move.source_highest, source, source_base, range);
  group(move, destination, source_of(source), policy, policy.copy_image, multiprocessors);
  if (move.groups.slots > Chunk::most) return std::nullopt;
  return move;
}

}  // namespace typewarp::gpu
