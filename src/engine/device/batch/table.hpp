// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/kernels/launch.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

/// What many moves of one launch are told by. It may travel with the launch, so regular views are kept small.
namespace typewarp::gpu {

/// A View without lookups, of few levels.
template <std::size_t levels>
struct SmallView {
  static constexpr int capacity = static_cast<int>(levels);

  std::byte* base;
  std::uint32_t start;
  std::int32_t depth;
  plan::Divider<std::uint32_t> dividers[levels - 1];
  std::int64_t strides[levels];  ///< bytes

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
#ifdef TYPEWARP_ON_DEVICE
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

/// Entries of one launch, each with a member `first_tile` and a type `Small` of small views, and their views,
/// of `bytes` bytes in all. A launch takes up to 32764 as parameters, and costs the more the more there
/// are.
template <typename EntryKind, int bytes>
struct Table {
  using Small = typename EntryKind::Small;
  static constexpr int room = bytes - 16;
  static constexpr std::size_t alignment = 8;
  static constexpr int entry_size = static_cast<int>(sizeof(EntryKind));

  std::int32_t entries = 0;
  std::int32_t views_begin = room;  ///< entries grow from the front of `memory`, views from its back
  std::uint32_t tiles = 0;
  bool regular = true;  ///< whether all views are small
  alignas(alignment) std::array<std::byte, static_cast<std::size_t>(room)> memory{};

  static int size_of(bool small) { return static_cast<int>(small ? sizeof(Small) : sizeof(View)); }
  /// Whether so many more entries fit, with so many bytes of views in all.
  bool takes(int view_bytes, int more = 1) const {
    return views_begin - view_bytes >= (entries + more) * entry_size;
  }
  /// Where the view lies in `memory` from now on.
  int put(const View& view, bool small) {
    views_begin -= size_of(small);
    regular = regular && small;
    if (small) {
      store(views_begin, Small(view));
    } else {
      store(views_begin, view);
    }
    return views_begin;
  }
  void push(EntryKind entry, std::uint32_t tiles_of_entry) {
    entry.first_tile = tiles;
    store(entries * entry_size, entry);
    ++entries;
    tiles += tiles_of_entry;
  }

  template <typename Kind>
  void store(int place, const Kind& value) {
    static_assert(std::is_trivially_copyable_v<Kind> && alignof(Kind) <= alignment);
    std::memcpy(memory.data() + place, &value, sizeof value);
  }

  TYPEWARP_HD const EntryKind& entry(int i) const { return reinterpret_cast<const EntryKind*>(&memory)[i]; }
  TYPEWARP_HD const std::byte* at(int place) const {
    return reinterpret_cast<const std::byte*>(&memory) + place;
  }
  /// The entry that tile `tile` belongs to.
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

/// Tiles, of one block each, that a piece of so many words takes.
inline std::uint32_t batch_tiles(std::int64_t words, int word_log2) {
  const std::int64_t tile = std::int64_t{words_in_flight(word_log2)} * launch_policy.threads;
  return static_cast<std::uint32_t>((words + tile - 1) / tile);
}

/// Bytes of parameters of a launch with few entries, and with as many as it takes.
inline constexpr int short_table = 4000;
inline constexpr int long_table = 32000;

}  // namespace typewarp::gpu
