// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/cuda/pattern.hpp"

#include "engine/cuda/displaced.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace typewarp::cuda {
namespace {

/// Bytes that are stored at once, at most.
constexpr int widest = 8;

/// Words of so many bytes and more are moved as fast one by one.
constexpr std::int64_t enough = 4;

bool is_candidate(const Shape& shape) {
  const std::size_t outer = shape.strided.depth - 1;
  if (shape.lookup == Lookup::generic || shape.strided.depth < 2) return false;
  if (shape.lookup == Lookup::list && shape.lookup_level == outer) return false;
  const std::int64_t stride = shape.strided.levels[outer].stride;
  const std::int64_t size = shape.outer_step();
  return size <= Pattern::max_size && stride != 0 && stride >= -Pattern::max_footprint &&
         stride <= Pattern::max_footprint && std::abs(stride) <= Pattern::max_spread * size;
}

/// Items after which a stride and a packed size are multiples of `alignment`, a power of two.
int items_until_aligned(std::int64_t stride, std::int64_t size, int alignment) {
  const std::int64_t both = std::gcd(std::gcd(stride, size), std::int64_t{alignment});
  return static_cast<int>(alignment / both);
}

/// Groups of a scatter: as many items as the limits allow, so that chunks are wide.
int items_of_group(const Pattern& pattern, const PatternSource& source, int misalignment, Chunk* chunks,
                   int& count) {
  constexpr int most = PatternScatter::max_chunks;
  int items = items_until_aligned(pattern.stride, 0, widest);
  for (; items > 1; items /= 2) {
    if (items * pattern.size > PatternScatter::max_packed) continue;
    count = cut(pattern, source, items, misalignment, chunks, most);
    if (count <= most) return items;
  }
  count = cut(pattern, source, 1, misalignment, chunks, most);
  return 1;
}

bool can_be_cut(const Pattern& pattern) {
  std::vector<Chunk> chunks(PatternScatter::max_chunks);
  for (int misalignment = 0; misalignment < widest; ++misalignment) {
    int count = 0;
    items_of_group(pattern, packed_source(pattern), misalignment, chunks.data(), count);
    if (count > PatternScatter::max_chunks) return false;
  }
  return true;
}

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
    const std::byte* const user = displaced(base, pattern.low + item * pattern.stride);
    lowest = none ? user + *low : std::min(lowest, user + *low);
    highest = none ? user + *high + 1 : std::max(highest, user + *high + 1);
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
  const auto misalignment = static_cast<int>(reinterpret_cast<std::uintptr_t>(move.user) % widest);
  groups.items = items_of_group(pattern, source, misalignment, move.chunks, groups.slots);
  groups.packed = groups.items * pattern.size;
  groups.stride = groups.items * pattern.stride;
  move.source_stride = groups.items * source.stride;
  const std::int64_t total = (std::int64_t{move.end} + groups.packed - 1) / groups.packed;
  spread(groups, policy, total, std::abs(move.source_stride), room, multiprocessors);
  const std::int64_t to_last = (std::int64_t{groups.of_tile} * groups.items - 1) * source.stride;
  groups.image = image_of(std::abs(to_last) + source.footprint);
  move.low_place = std::min<std::int64_t>(0, to_last);
}

}  // namespace

PatternSource source_of(const Pattern& pattern) {
  return {pattern.places, pattern.stride, pattern.footprint};
}

PatternSource packed_source(const Pattern& pattern) { return {nullptr, pattern.size, pattern.size}; }

int cut(const Pattern& pattern, const PatternSource& source, int items, int misalignment, Chunk* chunks,
        int most) {
  const auto alignment = static_cast<std::int32_t>(std::gcd(items * pattern.stride, std::int64_t{widest}));
  int count = 0;
  for (std::int32_t i = 0; i < items; ++i) {
    const auto item = static_cast<std::int32_t>(i * pattern.stride);
    for (std::int32_t byte = 0; byte < pattern.size;) {
      const std::int32_t place = item + pattern.places[byte];
      std::int32_t bytes = alignment;
      const auto consecutive = [&] {
        const std::int32_t last = byte + bytes - 1;
        if (last >= pattern.size) return false;
        for (std::int32_t k = byte; k < last; ++k) {
          if (pattern.places[k] + 1 != pattern.places[k + 1]) return false;
          if (source.place(k) + 1 != source.place(k + 1)) return false;
        }
        return true;
      };
      while ((misalignment + place) % bytes != 0 || !consecutive()) bytes /= 2;
      if (count < most) {
        chunks[count] = {place, static_cast<std::int32_t>(i * source.stride) + source.place(byte),
                         static_cast<std::uint16_t>(i * pattern.size + byte),
                         static_cast<std::uint16_t>(bytes)};
      }
      ++count;
      byte += bytes;
    }
  }
  return count;
}

std::optional<Pattern> pattern_of(const plan::Encoding& encoding, const Shape& shape, std::int64_t extent) {
  if (!is_candidate(shape)) return std::nullopt;
  Pattern pattern{};
  pattern.stride = shape.strided.levels[shape.strided.depth - 1].stride;
  pattern.size = static_cast<std::int32_t>(shape.outer_step());
  std::array<std::int64_t, Pattern::max_size> offsets;
  std::int64_t bits = pattern.stride;
  bool contiguous = true;
  for (std::int64_t byte = 0; byte < pattern.size;) {
    const plan::Location found = plan::locate(encoding.view(), extent, byte);
    const std::int64_t end = std::min<std::int64_t>(byte + found.run, pattern.size);
    bits |= found.offset | (end - byte);
    contiguous = contiguous && found.offset == byte;
    for (std::int64_t k = byte; k < end; ++k) offsets[static_cast<std::size_t>(k)] = found.offset + k - byte;
    byte = end;
  }
  const auto last = offsets.begin() + pattern.size;
  const auto [low, high] = std::minmax_element(offsets.begin(), last);
  const std::int64_t footprint = *high + 1 - *low;
  if (footprint > Pattern::max_footprint || bits % enough == 0) return std::nullopt;
  // Items inside of each other's holes may be separate memory, and what lies between nobody's.
  if (footprint > std::abs(pattern.stride)) return std::nullopt;
  if (contiguous && pattern.stride == pattern.size) return std::nullopt;
  pattern.low = *low;
  pattern.footprint = static_cast<std::int32_t>(footprint);
  std::transform(offsets.begin(), last, pattern.places,
                 [&](std::int64_t offset) { return static_cast<std::uint16_t>(offset - pattern.low); });
  if (!can_be_cut(pattern)) return std::nullopt;
  return pattern;
}

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
  if (move.groups.slots > PatternScatter::max_chunks) return std::nullopt;
  return move;
}

}  // namespace typewarp::cuda
