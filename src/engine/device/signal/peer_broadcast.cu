// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/signal/peer_task.cuh"

#include "engine/runtime/enqueue.hpp"

namespace typewarp::gpu {
namespace {

using Memory = PeerReductionMemory;
using Bytes = NumberRange<std::uint8_t>;

class Broadcast {
 public:
  __device__ explicit Broadcast(const PeerTask& task)
      : task_(task),
        turns_(task),
        rank_(task.memories.rank),
        root_(task.numbers.root),
        given_ring_(task.memories.ranks * Memory::ring_results) {}

  /// All blocks of all ranks call this. False: it was closed meanwhile.
  __device__ bool make() const {
    if (task_.in_one_step) return make_at_once();
    // What the launches before have left in the rings is read by now.
    const Turn first = turns_.turn() + 1;
    if (!turns_.meet(0, first)) return false;
    const std::int64_t block = blockIdx.x;
    const std::int64_t all = (task_.packs + task_.tile - 1) / task_.tile;
    const std::int64_t tiles = all > block ? (all - block - 1) / gridDim.x + 1 : 0;
    return rank_ == root_ ? give_shares(tiles, first) : pass_on(tiles, first);
  }

 private:
  using Turn = Memory::Turn;
  static constexpr int copied = 2;  ///< packs that a thread has under way, for each rank

  __device__ unsigned bit(int rank) const { return 1U << rank; }
  __device__ bool is_owner(int rank) const { return rank != root_; }
  /// Of the ranks but for the root, which has no share.
  __device__ std::int64_t share_of(int rank) const { return rank - (rank > root_ ? 1 : 0); }

  __device__ Bytes range(const std::byte* address) const {
    return {const_cast<std::byte*>(address), task_.numbers.shares[task_.memories.ranks], task_.whole};
  }
  /// Packs of tile `number` of a rank's share, as far as there are bytes: act(pack, which of the tile).
  template <typename Act>
  __device__ void each(int owner, std::int64_t number, Act act) const {
    const std::int64_t first = (number * gridDim.x + blockIdx.x) * task_.tile;
    const std::int64_t share = share_of(owner) * task_.packs;
    const std::int64_t packs = range(nullptr).packs() - share;  // from the share on
    const std::int64_t end = min(min(first + task_.tile, task_.packs), packs);
#pragma unroll copied
    for (std::int64_t i = first + threadIdx.x; i < end; i += Memory::threads) act(share + i, i - first);
  }
  /// Where the block's tile comes to: `places` of them lie in each rank's part of the memory.
  __device__ std::int64_t place_of(std::int64_t number) const {
    return static_cast<std::int64_t>(blockIdx.x) * Memory::tile +
           number % Memory::ring_results * Memory::ring_tile;
  }
  /// Only the root gives numbers, so that the places of all ranks are free for them.
  __device__ std::byte* given(int owner, std::int64_t number, std::int64_t i) const {
    const auto from = static_cast<int>(number % given_ring_ / Memory::ring_results);
    return turns_.given(owner, from, place_of(number) + i);
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
        const auto pack = in.load(task_.begin + i);
        for (int step = 1; step < task_.memories.ranks; ++step)
          give(turns_.given(turns_.peer(step), root_, i), pack);
      }
      if (!turns_.meet(0, turn)) return false;
      for (std::int64_t i = first + threadIdx.x; i < end && rank_ != root_; i += Memory::threads)
        out.store(task_.begin + i, load_given<std::uint8_t>(turns_.given(rank_, root_, i)));
    }
    return true;
  }

  __device__ bool give_shares(std::int64_t tiles, Turn first) const {
    const Bytes in = range(task_.numbers.in);
    const unsigned owners = PeerTurns::all;
    for (std::int64_t number = 0; number < tiles; ++number) {
      if (number >= given_ring_ && !turns_.hear(1, first + 1 + number - given_ring_, owners)) return false;
      for (int step = 1; step < task_.memories.ranks; ++step) {
        const int owner = turns_.peer(step);
        each(owner, number,
             [&](std::int64_t pack, std::int64_t i) { give(given(owner, number, i), in.load(pack)); });
      }
      turns_.tell(0, first + 1 + number);
    }
    return turns_.hear(1, first + tiles, owners);
  }

  /// Takes what others have passed on one tile later, when it has come.
  __device__ bool pass_on(std::int64_t tiles, Turn first) const {
    const unsigned owners = PeerTurns::all & ~bit(root_);
    for (std::int64_t number = 0; number <= tiles; ++number) {
      if (number < tiles) {
        if (!turns_.hear(0, first + 1 + number, bit(root_))) return false;
        pass_on_tile(number);
        turns_.tell(1, first + 1 + number);
      }
      if (number == 0) continue;
      if (!turns_.hear(1, first + number, owners)) return false;
      take_tile(number - 1);
    }
    return true;
  }
  __device__ void pass_on_tile(std::int64_t number) const {
    const Bytes out = range(task_.numbers.out);
    each(rank_, number, [&](std::int64_t pack, std::int64_t i) {
      const auto bytes = load_given<std::uint8_t>(given(rank_, number, i));
      out.store(pack, bytes);
      for (int step = 1; step < task_.memories.ranks; ++step) {
        const int to = turns_.peer(step);
        if (is_owner(to)) give(passed_on(to, rank_, number, i), bytes);
      }
    });
  }
  __device__ void take_tile(std::int64_t number) const {
    const Bytes out = range(task_.numbers.out);
    for (int step = 1; step < task_.memories.ranks; ++step) {
      const int owner = turns_.peer(step);
      if (!is_owner(owner)) continue;
      each(owner, number, [&](std::int64_t pack, std::int64_t i) {
        out.store(pack, load_given<std::uint8_t>(passed_on(rank_, owner, number, i)));
      });
    }
  }

  const PeerTask& task_;
  PeerTurns turns_;
  int rank_, root_;
  std::int64_t given_ring_;  ///< tiles of a share that the root may be ahead
};

__global__ void __launch_bounds__(Memory::threads)
    broadcast_among_ranks(const __grid_constant__ PeerTask task) {
  if (!is_closed(task)) Broadcast(task).make();
  end(task);
}

}  // namespace

const void* broadcast_kernel() { return kernel_address(broadcast_among_ranks); }

}  // namespace typewarp::gpu
