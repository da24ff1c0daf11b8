// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/signal/mapped_buffers.cuh"
#include "engine/device/signal/peer_bytes.cuh"

#include "engine/runtime/enqueue.hpp"

namespace typewarp::gpu {
namespace {

using Memory = PeerReductionMemory;
using Pack = PeerPack;
using Bytes = PeerBytes;

class Broadcast {
 public:
  __device__ Broadcast(const PeerTask& task, MappedBuffers& mapped)
      : task_(task),
        turns_(task),
        mapped_(mapped),
        rank_(task.memories.rank),
        root_(task.numbers.root),
        shift_(blockIdx.x % 2 == 0 ? 0 : task.shift),
        places_(Memory::room / task.tile) {}

  /// All blocks of all ranks call this. False: it was closed meanwhile.
  __device__ bool make() const {
    if (task_.in_one_step) return make_at_once();
    // When all have met, what the launches before have left in the rings is read.
    const Turn first = turns_.turn() + 1;
    const MappedBuffers::Met met = mapped_.meet(task_, turns_, first);
    if (met == MappedBuffers::Met::closed) return false;
    if (met == MappedBuffers::Met::mapped) {
      if (rank_ != root_) take_share_for_all();
      return turns_.meet(1, first);
    }
    const std::int64_t tiles = (task_.region + shift_ + task_.tile - 1) / task_.tile;
    return rank_ == root_ ? give_shares(tiles, first) : pass_on(tiles, first);
  }

 private:
  using Turn = Memory::Turn;
  static constexpr int most_packs = most_packs_of_tile;
  static constexpr int owners_at_once = 3;  ///< whose packs the root loads before it stores any

  using Tile = PeerTile;

  __device__ unsigned bit(int rank) const { return 1U << rank; }
  /// Of the ranks but for the root, which has no share.
  __device__ std::int64_t share_of(int rank) const { return rank - (rank > root_ ? 1 : 0); }
  __device__ Bytes range(const std::byte* address) const {
    return {const_cast<std::byte*>(address), task_.numbers.shares[task_.memories.ranks], task_.whole};
  }

  /// Each block has a region of every share. The first tile of every other one is shorter: so blocks do not
  /// all load, store and wait at the same time.
  __device__ Tile tile(int owner, std::int64_t number) const {
    const std::int64_t region = blockIdx.x * task_.region;
    const std::int64_t share = share_of(owner) * task_.packs;
    const std::int64_t end = min(region + min((number + 1) * task_.tile - shift_, task_.region), task_.packs);
    return {share, region + (number == 0 ? 0 : number * task_.tile - shift_),
            min(end, range(nullptr).packs() - share)};
  }
  /// Of a tile in each rank's part of the memory, where `places_` of a block have room.
  __device__ std::int64_t place_of(std::int64_t number) const {
    return static_cast<std::int64_t>(blockIdx.x) * Memory::room + number % places_ * task_.tile;
  }
  /// How far the root may run ahead. Only the root gives, so it may use every rank's part.
  __device__ std::int64_t ahead() const { return task_.memories.ranks * places_; }
  __device__ std::byte* given(int owner, std::int64_t number, std::int64_t i) const {
    return turns_.given(owner, static_cast<int>(number % ahead() / places_), place_of(number) + i);
  }
  __device__ std::byte* passed_on(int to, int owner, std::int64_t number, std::int64_t i) const {
    return turns_.result(to, owner, place_of(number) + i);
  }

  __device__ bool make_at_once() const {
    const Bytes in = range(task_.numbers.in);
    const Bytes out = range(task_.numbers.out);
    Turn turn = turns_.turn();
    for (std::int64_t first = blockIdx.x * task_.tile; first < task_.packs; first += gridDim.x * task_.tile) {
      const std::int64_t end = min(first + task_.tile, task_.packs);
      ++turn;
      for (std::int64_t i = first + threadIdx.x; i < end && rank_ == root_; i += Memory::threads) {
        const Pack pack = in.load(task_.begin + i);
        for (int step = 1; step < task_.memories.ranks; ++step)
          give(turns_.given(turns_.peer(step), root_, i), pack);
      }
      if (!turns_.meet(0, turn)) return false;
      for (std::int64_t i = first + threadIdx.x; i < end && rank_ != root_; i += Memory::threads)
        out.store(task_.begin + i, load_given(turns_.given(rank_, root_, i)));
    }
    return true;
  }

  /// Every byte leaves the root once, and is stored nowhere on its way: each of the others loads its share
  /// and stores it to all of them. All blocks move through the share side by side, a pack for each thread at
  /// a time (decision 096).
  __device__ void take_share_for_all() const {
    const std::int64_t bytes = task_.numbers.shares[task_.memories.ranks];
    const Bytes from = Bytes::at(mapped_.of(root_), bytes);
    const std::int64_t begin = share_of(rank_) * task_.packs;
    const std::int64_t end = min(begin + task_.packs, from.packs());
    const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * Memory::threads;
    for (std::int64_t i = begin + blockIdx.x * Memory::threads + threadIdx.x; i < end; i += threads) {
      const Pack pack = from.load(i);
      for (int step = 0; step < task_.memories.ranks; ++step) {
        const int to = turns_.peer(step);
        if (to != root_) Bytes::at(mapped_.of(to), bytes).store(i, pack);
      }
    }
  }

  __device__ bool give_shares(std::int64_t tiles, Turn first) const {
    for (std::int64_t number = 0; number < tiles; ++number) {
      if (number >= ahead() && !turns_.hear(1, first + 1 + number - ahead())) return false;
      for (int step = 1; step < task_.memories.ranks; step += owners_at_once) give_tiles(number, step);
      turns_.tell(0, first + 1 + number);
    }
    return turns_.hear(1, first + tiles);
  }
  /// To the ranks from `step` on, as many as are given to at once.
  __device__ void give_tiles(std::int64_t number, int step) const {
    const Bytes in = range(task_.numbers.in);
    Pack packs[owners_at_once][most_packs];
#pragma unroll
    for (int k = 0; k < owners_at_once; ++k) {
      if (step + k >= task_.memories.ranks) break;
      load_tile(tile(turns_.peer(step + k), number), packs[k],
                [&](std::int64_t pack, std::int64_t) { return in.load(pack); });
    }
#pragma unroll
    for (int k = 0; k < owners_at_once; ++k) {
      if (step + k >= task_.memories.ranks) break;
      const int owner = turns_.peer(step + k);
      store_tile(tile(owner, number), packs[k], [&](std::int64_t, std::int64_t i, const Pack& pack) {
        give(given(owner, number, i), pack);
      });
    }
  }

  /// Takes what others have passed on of the tile before, and then passes on the next one: so nobody passes
  /// on a tile before others have taken the last but one, and there is room for two.
  __device__ bool pass_on(std::int64_t tiles, Turn first) const {
    const unsigned others = PeerTurns::all & ~bit(root_);
    for (std::int64_t number = 0; number <= tiles; ++number) {
      if (number > 0) {
        if (!turns_.hear(1, first + number, others)) return false;
        take_tile(number - 1);
      }
      if (number == tiles) break;
      if (!turns_.hear(0, first + 1 + number, bit(root_))) return false;
      pass_on_tile(number);
      turns_.tell(1, first + 1 + number);
    }
    return true;
  }
  __device__ void pass_on_tile(std::int64_t number) const {
    const Bytes out = range(task_.numbers.out);
    const Tile own = tile(rank_, number);
    Pack packs[most_packs];
    load_tile(own, packs, [&](std::int64_t, std::int64_t i) { return load_given(given(rank_, number, i)); });
    for (int step = 1; step < task_.memories.ranks; ++step) {
      const int to = turns_.peer(step);
      if (to == root_) continue;
      store_tile(own, packs, [&](std::int64_t, std::int64_t i, const Pack& pack) {
        give(passed_on(to, rank_, number, i), pack);
      });
    }
    store_tile(own, packs,
               [&](std::int64_t pack, std::int64_t, const Pack& bytes) { out.store(pack, bytes); });
  }
  __device__ void take_tile(std::int64_t number) const {
    const Bytes out = range(task_.numbers.out);
    for (int step = 1; step < task_.memories.ranks; ++step) {
      const int owner = turns_.peer(step);
      if (owner == root_) continue;
      const Tile theirs = tile(owner, number);
      Pack packs[most_packs];
      load_tile(theirs, packs,
                [&](std::int64_t, std::int64_t i) { return load_given(passed_on(rank_, owner, number, i)); });
      store_tile(theirs, packs,
                 [&](std::int64_t pack, std::int64_t, const Pack& bytes) { out.store(pack, bytes); });
    }
  }

  const PeerTask& task_;
  PeerTurns turns_;
  MappedBuffers& mapped_;
  int rank_, root_;
  std::int64_t shift_;  ///< packs
  std::int64_t places_;
};

__global__ void __launch_bounds__(Memory::threads)
    broadcast_among_ranks(const __grid_constant__ PeerTask task) {
  __shared__ MappedBuffers mapped;
  await_stream();
  if (is_open(task)) Broadcast(task, mapped).make();
  end(task);
}

}  // namespace

const void* broadcast_kernel() { return kernel_address(broadcast_among_ranks); }

}  // namespace typewarp::gpu
