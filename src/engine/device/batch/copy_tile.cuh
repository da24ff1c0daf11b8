// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/batch/copy_table.hpp"
#include "engine/device/kernels/move.cuh"

namespace typewarp::gpu {

/// A side of this block's entry, in shared memory, since levels are told apart at run time: arrays in
/// registers cannot be indexed. `regular` says that every view of the table is small: the kernel takes fewer
/// registers then.
template <bool regular, typename Small>
struct SharedSide {
  using Largest = std::conditional_t<regular, Small, View>;
  static_assert(sizeof(Small) % sizeof(std::uint64_t) == 0 && sizeof(View) % sizeof(std::uint64_t) == 0);
  std::uint64_t memory[sizeof(Largest) / sizeof(std::uint64_t)];

  /// All threads of the block fill it together, and then have to meet. The view's base is `moved` bytes on.
  __device__ void fill(const std::byte* place, bool is_small, std::int64_t moved = 0) {
    static_assert(offsetof(Small, base) == 0 && offsetof(View, base) == 0);
    const auto bytes = regular || is_small ? sizeof(Small) : sizeof(View);
    const int words = static_cast<int>(bytes / sizeof(std::uint64_t));
    const auto* const view = reinterpret_cast<const std::uint64_t*>(place);
    for (int i = static_cast<int>(threadIdx.x); i < words; i += launch_policy.threads) {
      memory[i] = view[i] + (i == 0 ? static_cast<std::uint64_t>(moved) : 0);
    }
  }
  __device__ const Small& small() const { return *reinterpret_cast<const Small*>(memory); }
  __device__ const View& view() const { return *reinterpret_cast<const View*>(memory); }
  __device__ std::byte* at(const ViewPlace& place, std::uint32_t k, int word_log2) const {
    return regular || place.small ? small().at(k) : view().at_any(place.lookup, k, word_log2);
  }
};
template <bool regular>
using CopySharedSide = SharedSide<regular, CopyEntry::Small>;

/// The first word of an entry that this thread moves, in tile `tile` of the table.
template <int word_log2, typename Entry>
__device__ std::uint32_t first_word(const Entry& entry, std::uint32_t tile) {
  return (tile - entry.first_tile) * (words_in_flight(word_log2) * launch_policy.threads) + threadIdx.x;
}

template <int word_log2, bool regular>
__device__ void move_copy_tile(const CopyEntry& entry, std::uint32_t tile, const CopySharedSide<regular>& to,
                               const CopySharedSide<regular>& from) {
  move_words<word_log2>(
      first_word<word_log2>(entry, tile), entry.words,
      [&](std::uint32_t k) { return from.at(entry.source, k, word_log2); },
      [&](std::uint32_t k) { return to.at(entry.destination, k, word_log2); });
}

/// The same in pieces of words, which are neighbours on both sides: for sides that lie at no multiple of
/// words.
template <int piece_log2, bool regular>
__device__ void move_copy_pieces(const CopyEntry& entry, std::uint32_t tile,
                                 const CopySharedSide<regular>& to, const CopySharedSide<regular>& from) {
  constexpr std::uint32_t step = words_in_flight(piece_log2) * launch_policy.threads;
  const int split = entry.word_log2 - piece_log2;
  const std::uint32_t of_tile = words_in_flight(entry.word_log2) * launch_policy.threads;
  const std::uint32_t first = (tile - entry.first_tile) * of_tile;
  const std::uint32_t end = min(entry.words, first + of_tile) << split;
  const auto within = [&](std::uint32_t i) { return (i & ((1u << split) - 1)) << piece_log2; };
  for (std::uint32_t piece = first << split; piece < end; piece += step) {
    move_words<piece_log2>(
        piece + threadIdx.x, end,
        [&](std::uint32_t i) { return from.at(entry.source, i >> split, entry.word_log2) + within(i); },
        [&](std::uint32_t i) { return to.at(entry.destination, i >> split, entry.word_log2) + within(i); });
  }
}

/// The same in bytes, of which those of holes stay as they are. Neighbouring threads take neighbouring bytes,
/// holes or not, and a warp those of one sector of the destination, which one access then stores.
template <bool regular>
__device__ void move_across_holes(const CopyEntry& entry, std::uint32_t tile,
                                  const CopySharedSide<regular>& to, const CopySharedSide<regular>& from) {
  constexpr int threads = launch_policy.threads;
  const std::uint32_t start = to.small().start, stride = entry.run_stride;
  std::byte* destination = to.small().base + start;
  const std::byte* source = from.small().base + start;
  const auto before = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(destination) % link_sector);
  const std::uint32_t first = (tile - entry.first_tile) * hole_tile + threadIdx.x;
  std::uint32_t place = (start % stride + first + stride * link_sector - before) % stride;
  destination += std::int64_t{first} - before;
  source += std::int64_t{first} - before;
  std::uint32_t moved = 0;
  std::byte values[hole_depth];
#pragma unroll
  for (int j = 0; j < hole_depth; ++j) {
    if (first - before + j * threads < entry.words && place < entry.run) {
      values[j] = source[j * threads];
      moved |= 1u << j;
    }
    place += threads % stride;
    if (place >= stride) place -= stride;
  }
#pragma unroll
  for (int j = 0; j < hole_depth; ++j) {
    if ((moved >> j & 1) != 0) destination[j * threads] = values[j];
  }
}

/// Both sides of the entry whose tiles this block moves: an object in shared memory.
template <bool regular>
struct CopyTile {
  CopySharedSide<regular> to, from;

  /// All threads of the block call this, and meet before they move().
  template <typename Table>
  __device__ void load(const Table& table, const CopyEntry& entry, std::int64_t from_moved = 0,
                       std::int64_t to_moved = 0) {
    to.fill(table.at(entry.destination.offset), entry.destination.small,
            entry.destination_moves ? to_moved : 0);
    from.fill(table.at(entry.source.offset), entry.source.small, entry.source_moves ? from_moved : 0);
  }
  __device__ void move(const CopyEntry& entry, std::uint32_t tile) const {
    if (entry.run != 0) return move_across_holes<regular>(entry, tile, to, from);
    with_word(entry.word_log2,
              [&]<int word_log2>() { move_copy_tile<word_log2, regular>(entry, tile, to, from); });
  }
  /// For sides that were moved by multiples of 1 << moved_log2, perhaps less than a word.
  __device__ void move_pieces(const CopyEntry& entry, std::uint32_t tile, int moved_log2) const {
    if (entry.run != 0) return move_across_holes<regular>(entry, tile, to, from);
    with_word(min(moved_log2, static_cast<int>(entry.word_log2)),
              [&]<int piece_log2>() { move_copy_pieces<piece_log2, regular>(entry, tile, to, from); });
  }
};

}  // namespace typewarp::gpu
