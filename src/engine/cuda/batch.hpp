// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/cuda/direction.hpp"
#include "engine/cuda/view.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

/// The pieces of a batch as one kernel sees them. They travel with the launch, so regular ones are kept
/// small.
namespace typewarp::cuda {

/// A View without lookups, of few levels.
struct SmallView {
  static constexpr int capacity = 4;

  std::byte* base;
  std::uint32_t start;
  std::int32_t depth;
  plan::Divider<std::uint32_t> dividers[capacity - 1];
  std::int64_t strides[capacity];  ///< bytes

  static bool holds(const View& view, Lookup lookup) {
    return lookup == Lookup::none && view.depth <= capacity;
  }
  explicit SmallView(const View& view)
      : base(view.base), start(view.start), depth(view.depth), dividers(), strides() {
    for (int level = 0; level < depth; ++level) {
      strides[level] = view.strides[level];
      if (level + 1 < depth) dividers[level] = view.dividers[level];
    }
  }

  TYPEWARP_HD std::byte* at(std::uint32_t i) const {
    std::uint32_t rest = start + i;
    std::int64_t offset = 0;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int level = 0; level + 1 < capacity; ++level) {
      if (level + 1 >= depth) return base + offset + static_cast<std::int64_t>(rest) * strides[level];
      const std::uint32_t quotient = dividers[level].quotient(rest);
      offset += static_cast<std::int64_t>(rest - quotient * dividers[level].divisor) * strides[level];
      rest = quotient;
    }
    return base + offset + static_cast<std::int64_t>(rest) * strides[capacity - 1];
  }
};

/// A piece: `words` words of 1 << word_log2 bytes, packed from `packed` on, and its view at `view` bytes of
/// the table's memory: a SmallView, or a View if `lookup` needs one.
struct BatchEntry {
  std::byte* packed;
  std::uint32_t words;
  std::uint32_t first_tile;
  std::uint16_t view;
  std::uint8_t word_log2;
  bool small;
  Lookup lookup;
};

/// What the host remembers of a table in device memory.
struct BatchSize {
  std::uint32_t tiles;
  bool regular;
};

/// Pieces of one launch, with `bytes` of parameters in all: CUDA takes up to 32764, and a launch costs the
/// more the more there are.
template <int bytes>
struct BatchTable {
  static constexpr int room = bytes - 16;
  static constexpr std::size_t alignment = 8;

  std::int32_t entries = 0;
  std::int32_t views_begin = room;  ///< entries grow from the front of `memory`, views from its back
  std::uint32_t tiles = 0;
  bool regular = true;  ///< whether all views are small
  alignas(alignment) std::array<std::byte, static_cast<std::size_t>(room)> memory{};

  /// False if there is no room left.
  bool add(BatchEntry entry, const View& view, std::uint32_t tiles_of_piece) {
    entry.small = SmallView::holds(view, entry.lookup);
    const int size = static_cast<int>(entry.small ? sizeof(SmallView) : sizeof(View));
    const int used = (entries + 1) * static_cast<int>(sizeof(BatchEntry));
    if (views_begin - size < used) return false;
    views_begin -= size;
    regular = regular && entry.small;
    entry.view = static_cast<std::uint16_t>(views_begin);
    entry.first_tile = tiles;
    if (entry.small) {
      const SmallView small(view);
      store(views_begin, small);
    } else {
      store(views_begin, view);
    }
    store(entries * static_cast<int>(sizeof(BatchEntry)), entry);
    ++entries;
    tiles += tiles_of_piece;
    return true;
  }

  template <typename Kind>
  void store(int place, const Kind& value) {
    static_assert(std::is_trivially_copyable_v<Kind> && alignof(Kind) <= alignment);
    std::memcpy(memory.data() + place, &value, sizeof value);
  }

  TYPEWARP_HD const BatchEntry& entry(int i) const { return reinterpret_cast<const BatchEntry*>(&memory)[i]; }
  template <typename Kind>
  TYPEWARP_HD const Kind& view(const BatchEntry& entry) const {
    return *reinterpret_cast<const Kind*>(reinterpret_cast<const std::byte*>(&memory) + entry.view);
  }
  /// The piece that tile `tile` belongs to.
  TYPEWARP_HD int find(std::uint32_t tile) const {
    int low = 0;
    int high = entries;
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      if (entry(middle).first_tile <= tile) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }
};

using ShortBatch = BatchTable<4000>;
using LongBatch = BatchTable<32000>;
static_assert(sizeof(LongBatch) <= 32764, "what CUDA takes as parameters");

}  // namespace typewarp::cuda
