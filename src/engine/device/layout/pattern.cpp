// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/layout/pattern.hpp"

#include "engine/runtime/displaced.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace typewarp::gpu {
namespace {

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

bool can_be_cut(const Pattern& pattern) {
  std::vector<Chunk> chunks(Chunk::most);
  for (int misalignment = 0; misalignment < Chunk::widest; ++misalignment) {
    int count = 0;
    cut_group(pattern, packed_source(pattern), misalignment, chunks.data(), count);
    if (count > Chunk::most) return false;
  }
  return true;
}

}  // namespace

PatternSource source_of(const Pattern& pattern) {
  return {pattern.places, pattern.stride, pattern.footprint};
}

PatternSource packed_source(const Pattern& pattern) { return {nullptr, pattern.size, pattern.size}; }

int cut(const Pattern& pattern, const PatternSource& source, int items, int misalignment, Chunk* chunks,
        int most) {
  const auto alignment =
      static_cast<std::int32_t>(std::gcd(items * pattern.stride, std::int64_t{Chunk::widest}));
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

int items_until_aligned(std::int64_t stride, std::int64_t size, int alignment) {
  const std::int64_t both = std::gcd(std::gcd(stride, size), std::int64_t{alignment});
  return static_cast<int>(alignment / both);
}

int cut_group(const Pattern& pattern, const PatternSource& source, int misalignment, Chunk* chunks,
              int& count) {
  constexpr int most = Chunk::most;
  int items = items_until_aligned(pattern.stride, 0, Chunk::widest);
  for (; items > 1; items /= 2) {
    if (items * pattern.size > Chunk::most_packed) continue;
    count = cut(pattern, source, items, misalignment, chunks, most);
    if (count <= most) return items;
  }
  count = cut(pattern, source, 1, misalignment, chunks, most);
  return 1;
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

}  // namespace typewarp::gpu
