// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/gpu/cuda/batch/copy_table.hpp"
#include "engine/gpu/cuda/kernels/move.cuh"

namespace typewarp::gpu {

/// A side of this block's copy, in shared memory, since levels are told apart at run time: arrays in
/// registers cannot be indexed. `regular` says that every view of the table is small.
template <bool regular>
struct SharedSide {
  using Small = CopyEntry::Small;
  using Largest = std::conditional_t<regular, Small, View>;
  static_assert(sizeof(Small) % sizeof(std::uint64_t) == 0 && sizeof(View) % sizeof(std::uint64_t) == 0);
  std::uint64_t memory[sizeof(Largest) / sizeof(std::uint64_t)];

  /// All threads of the block fill it together, and then have to meet.
  template <typename Table>
  __device__ void fill(const Table& table, const ViewPlace& place) {
    const bool small = regular || place.small;
    const int words = static_cast<int>((small ? sizeof(Small) : sizeof(View)) / sizeof(std::uint64_t));
    const auto* const view = reinterpret_cast<const std::uint64_t*>(table.at(place.offset));
    for (int i = static_cast<int>(threadIdx.x); i < words; i += launch_policy.threads) memory[i] = view[i];
  }
  __device__ std::byte* at(const ViewPlace& place, std::uint32_t k, int word_log2) const {
    if (regular || place.small) return reinterpret_cast<const Small*>(memory)->at(k);
    return reinterpret_cast<const View*>(memory)->at_any(place.lookup, k, word_log2);
  }
};

template <int word_log2, bool regular>
__device__ void move_copy_tile(const CopyEntry& entry, const SharedSide<regular>& to,
                               const SharedSide<regular>& from) {
  const std::uint32_t tile = blockIdx.x - entry.first_tile;
  move_words<word_log2>(
      tile * (words_in_flight(word_log2) * launch_policy.threads) + threadIdx.x, entry.words,
      [&](std::uint32_t k) { return from.at(entry.source, k, word_log2); },
      [&](std::uint32_t k) { return to.at(entry.destination, k, word_log2); });
}

/// The tile of this block: an object in shared memory.
template <bool regular>
struct CopyTile {
  SharedSide<regular> to, from;

  /// All threads of the block call this, and meet before they move().
  template <typename Table>
  __device__ CopyEntry load(const Table& table) {
    const CopyEntry entry = table.entry(table.find(blockIdx.x));
    to.fill(table, entry.destination);
    from.fill(table, entry.source);
    return entry;
  }
  __device__ void move(const CopyEntry& entry) const {
    with_word(entry.word_log2, [&]<int word_log2>() { move_copy_tile<word_log2, regular>(entry, to, from); });
  }
};

}  // namespace typewarp::gpu
