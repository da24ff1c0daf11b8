// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/signal/peer_turns.cuh"

namespace typewarp::gpu {

/// Not sixteen numbers, which the compiler would keep in as many registers.
using PeerPack = uint4;

/// The bytes of one rank. `whole`: packs lie where they can be loaded at once.
struct PeerBytes {
  std::byte* address;
  std::int64_t count;
  bool whole;

  /// At any address, whatever others have.
  __device__ static PeerBytes at(const std::byte* address, std::int64_t count) {
    return {const_cast<std::byte*>(address), count, is_aligned(address)};
  }
  __device__ std::int64_t packs() const {
    return (count + PeerReductionMemory::pack - 1) / PeerReductionMemory::pack;
  }
  __device__ PeerPack load(std::int64_t pack) const {
    const std::byte* const from = address + pack * PeerReductionMemory::pack;
    const std::int64_t left = count - pack * PeerReductionMemory::pack;
    if (whole && left >= PeerReductionMemory::pack) return *reinterpret_cast<const PeerPack*>(from);
    std::uint32_t words[4] = {};
#pragma unroll
    for (int i = 0; i < PeerReductionMemory::pack; ++i)
      if (i < left) words[i / 4] |= static_cast<std::uint32_t>(from[i]) << (8 * (i % 4));
    return {words[0], words[1], words[2], words[3]};
  }
  __device__ void store(std::int64_t pack, const PeerPack& bytes) const {
    std::byte* const to = address + pack * PeerReductionMemory::pack;
    const std::int64_t left = count - pack * PeerReductionMemory::pack;
    if (whole && left >= PeerReductionMemory::pack) {
      *reinterpret_cast<PeerPack*>(to) = bytes;
      return;
    }
    const std::uint32_t words[4] = {bytes.x, bytes.y, bytes.z, bytes.w};
#pragma unroll
    for (int i = 0; i < PeerReductionMemory::pack; ++i)
      if (i < left) to[i] = static_cast<std::byte>(words[i / 4] >> (8 * (i % 4)));
  }
};

__device__ inline void give(std::byte* place, const PeerPack& pack) {
  *reinterpret_cast<PeerPack*>(place) = pack;
}
__device__ inline PeerPack load_given(const std::byte* place) {
  return __ldcg(reinterpret_cast<const PeerPack*>(place));
}

/// A share's packs of a tile, from the share's first one on; `share`: before that one.
struct PeerTile {
  std::int64_t share, first, end;
};
/// Of a thread.
constexpr int most_packs_of_tile = PeerReductionMemory::longest_tile / PeerReductionMemory::threads;

/// Loads what this thread has of the tile: load(pack of all, pack of the tile). All loads come before any
/// store: the compiler moves no load across a store that may alias.
template <typename Load>
__device__ void load_tile(const PeerTile& tile, PeerPack (&packs)[most_packs_of_tile], Load load) {
#pragma unroll
  for (int k = 0; k < most_packs_of_tile; ++k) {
    const std::int64_t i = tile.first + threadIdx.x + k * PeerReductionMemory::threads;
    if (i < tile.end) packs[k] = load(tile.share + i, i - tile.first);
  }
}
template <typename Store>
__device__ void store_tile(const PeerTile& tile, const PeerPack (&packs)[most_packs_of_tile], Store store) {
#pragma unroll
  for (int k = 0; k < most_packs_of_tile; ++k) {
    const std::int64_t i = tile.first + threadIdx.x + k * PeerReductionMemory::threads;
    if (i < tile.end) store(tile.share + i, i - tile.first, packs[k]);
  }
}

}  // namespace typewarp::gpu
