// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/signal/mapped_buffers.cuh"
#include "engine/device/signal/peer_bytes.cuh"

#include "engine/runtime/enqueue.hpp"

namespace typewarp::gpu {
namespace {

using Memory = PeerReductionMemory;
using Result = NumbersOfRanks::Result;
static_assert(PeerReduction::one_step_bytes(2) / Memory::pack / Memory::blocks <= Memory::longest_tile);

class PeerMoves {
 public:
  __device__ PeerMoves(const PeerTask& task, MappedBuffers& mapped)
      : task_(task),
        turns_(task),
        mapped_(mapped),
        rank_(task.memories.rank),
        gathers_(task.numbers.result == Result::gathered) {}

  /// All blocks of all ranks call this. False: it was closed meanwhile.
  __device__ bool make() const {
    const Turn first = turns_.turn() + 1;
    if (task_.in_one_step) {
      give_tile(tile_in_one_step(), blockIdx.x * task_.tile,
                [&](int to, std::int64_t place) { return turns_.given(to, rank_, place); });
      copy_own(tile_in_one_step());
      if (!turns_.meet(0, first)) return false;
      take_tile(tile_in_one_step(), blockIdx.x * task_.tile,
                [&](int from, std::int64_t place) { return turns_.given(rank_, from, place); });
      return true;
    }
    if (task_.numbers.mapping == NumbersOfRanks::Mapping::none) return make_in_tiles(first);
    const MappedBuffers::Met met = mapped_.meet(task_, turns_, first);
    if (met == MappedBuffers::Met::closed) return false;
    if (met == MappedBuffers::Met::unmapped) return make_in_tiles(first + 1);
    store_into_buffers();
    return turns_.meet(1, first);
  }

 private:
  using Turn = Memory::Turn;
  static constexpr int peers_at_once = 3;    ///< for which packs are loaded before any is stored
  static constexpr int buffers_at_once = 4;  ///< this rank's own, too

  /// Tiles go by turns to four places of a block, two in each part of a rank's memory. A rank gives a tile
  /// when it has heard of the last but one, so the others have taken the fourth before it. The first two lie
  /// where no launch before leaves anything that is still to be read; when the third is given, all have begun
  /// this launch. At the end all have taken all.
  __device__ bool make_in_tiles(Turn first) const {
    const std::int64_t tiles = (task_.region + task_.tile - 1) / task_.tile;
    for (std::int64_t next = 0; next <= tiles; ++next) {
      if (next < tiles) {
        give_tile(tile(next), place_of(next),
                  [&](int to, std::int64_t place) { return slot(to, rank_, next, place); });
        turns_.tell(0, first + static_cast<Turn>(next));
        copy_own(tile(next));
      }
      if (next == 0) continue;
      const std::int64_t last = next - 1;
      if (!turns_.hear(0, first + static_cast<Turn>(last))) return false;
      take_tile(tile(last), place_of(last),
                [&](int from, std::int64_t place) { return slot(rank_, from, last, place); });
    }
    return turns_.meet(1, first + static_cast<Turn>(tiles) - 1);
  }

  /// All blocks move through what each rank gets side by side, a pack for each thread at a time.
  __device__ void store_into_buffers() const {
    const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * Memory::threads;
    for (std::int64_t i = blockIdx.x * Memory::threads + threadIdx.x; i < task_.packs; i += threads) {
      for (int step = 0; step < task_.memories.ranks; step += buffers_at_once) {
        PeerPack packs[buffers_at_once];
#pragma unroll
        for (int k = 0; k < buffers_at_once; ++k) {
          if (step + k >= task_.memories.ranks) break;
          const PeerBytes from = given_to(turns_.peer(step + k));
          if (i < from.packs()) packs[k] = from.load(i);
        }
#pragma unroll
        for (int k = 0; k < buffers_at_once; ++k) {
          if (step + k >= task_.memories.ranks) break;
          const int to = turns_.peer(step + k);
          const PeerBytes from = given_to(to), side = bytes(mapped_.of(to), rank_);
          if (i < from.packs() && from.address != side.address) side.store(i, packs[k]);
        }
      }
    }
  }

  __device__ PeerTile tile_in_one_step() const {
    const std::int64_t begin = blockIdx.x * task_.tile;
    return {0, begin, min(begin + task_.tile, task_.packs)};
  }
  /// Each block has a region of every share.
  __device__ PeerTile tile(std::int64_t number) const {
    const std::int64_t region = blockIdx.x * task_.region;
    return {0, region + number * task_.tile, region + min((number + 1) * task_.tile, task_.region)};
  }
  __device__ std::int64_t place_of(std::int64_t number) const {
    return static_cast<std::int64_t>(blockIdx.x) * Memory::room + number % 2 * task_.tile;
  }
  __device__ std::byte* slot(int of, int from, std::int64_t number, std::int64_t place) const {
    return number / 2 % 2 == 0 ? turns_.given(of, from, place) : turns_.result(of, from, place);
  }

  __device__ PeerBytes bytes(const std::byte* all, int rank) const {
    const auto& shares = task_.numbers.shares;
    return PeerBytes::at(all + shares[rank], shares[rank + 1] - shares[rank]);
  }
  /// What this rank gives to `to`.
  __device__ PeerBytes given_to(int to) const {
    const auto& shares = task_.numbers.shares;
    return gathers_ ? PeerBytes::at(task_.numbers.in, shares[rank_ + 1] - shares[rank_])
                    : bytes(task_.numbers.in, to);
  }
  __device__ static PeerTile within(const PeerTile& tile, const PeerBytes& bytes) {
    return {tile.share, tile.first, min(tile.end, bytes.packs())};
  }

  /// place(rank, pack of a share's memory)
  template <typename Place>
  __device__ void give_tile(const PeerTile& tile, std::int64_t base, Place place) const {
    for (int step = 1; step < task_.memories.ranks; step += peers_at_once) {
      PeerPack packs[peers_at_once][most_packs_of_tile];
#pragma unroll
      for (int k = 0; k < peers_at_once; ++k) {
        if (step + k >= task_.memories.ranks) break;
        const PeerBytes from = given_to(turns_.peer(step + k));
        load_tile(within(tile, from), packs[k],
                  [&](std::int64_t pack, std::int64_t) { return from.load(pack); });
      }
#pragma unroll
      for (int k = 0; k < peers_at_once; ++k) {
        if (step + k >= task_.memories.ranks) break;
        const int to = turns_.peer(step + k);
        store_tile(
            within(tile, given_to(to)), packs[k],
            [&](std::int64_t, std::int64_t i, const PeerPack& pack) { give(place(to, base + i), pack); });
      }
    }
  }
  template <typename Place>
  __device__ void take_tile(const PeerTile& tile, std::int64_t base, Place place) const {
    for (int step = 1; step < task_.memories.ranks; ++step) {
      const int from = turns_.peer(step);
      const PeerBytes to = bytes(task_.numbers.out, from);
      PeerPack packs[most_packs_of_tile];
      load_tile(within(tile, to), packs,
                [&](std::int64_t, std::int64_t i) { return load_given(place(from, base + i)); });
      store_tile(within(tile, to), packs,
                 [&](std::int64_t pack, std::int64_t, const PeerPack& taken) { to.store(pack, taken); });
    }
  }
  /// What this rank has for itself, unless it lies there.
  __device__ void copy_own(const PeerTile& tile) const {
    const PeerBytes from = given_to(rank_);
    const PeerBytes to = bytes(task_.numbers.out, rank_);
    if (from.address == to.address) return;
    PeerPack packs[most_packs_of_tile];
    load_tile(within(tile, from), packs, [&](std::int64_t pack, std::int64_t) { return from.load(pack); });
    store_tile(within(tile, from), packs,
               [&](std::int64_t pack, std::int64_t, const PeerPack& own) { to.store(pack, own); });
  }

  const PeerTask& task_;
  PeerTurns turns_;
  MappedBuffers& mapped_;
  int rank_;
  bool gathers_;
};

__global__ void __launch_bounds__(Memory::threads) move_among_ranks(const __grid_constant__ PeerTask task) {
  __shared__ MappedBuffers mapped;
  await_stream();
  if (is_open(task)) PeerMoves(task, mapped).make();
  end(task);
}

}  // namespace

const void* moves_kernel() { return kernel_address(move_among_ranks); }

}  // namespace typewarp::gpu
