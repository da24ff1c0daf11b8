// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/kernels/intrinsics.cuh"
#include "engine/device/signal/patience.cuh"
#include "engine/device/signal/peer_task.hpp"

#include <cuda/atomic>

namespace typewarp::gpu {

/// What ranks tell each other of their tiles, and where they put them.
class PeerTurns {
 public:
  using Turn = PeerReductionMemory::Turn;
  static constexpr unsigned all = ~0U;

  __device__ explicit PeerTurns(const PeerTask& task)
      : memories_(task.memories),
        gate_(task.signals.gate),
        waits_(task.signals.news->waits[blockIdx.x]),
        turn_(task.signals.counts->turn),
        given_(memories_.given +
               static_cast<std::int64_t>(task.signals.counts->launches % 2) * memories_.other_given) {}

  /// Of the last tile of the launch before.
  __device__ Turn turn() const { return turn_; }
  __device__ int peer(int step) const { return (memories_.rank + step) % memories_.ranks; }
  /// Where rank `of` is given numbers and results by rank `from`.
  __device__ std::byte* given(int of, int from, std::int64_t pack) const {
    return slot(of, given_, from, pack);
  }
  __device__ std::byte* result(int of, int from, std::int64_t pack) const {
    return slot(of, memories_.results, from, pack);
  }

  /// Tells all ranks that this one has come to this point of the tile, with all that its block has given.
  __device__ void tell(int step, Turn turn) const {
    const int other = static_cast<int>(threadIdx.x);
    __syncthreads();
    if (!is_other(other)) return;
    ::cuda::atomic_thread_fence(::cuda::std::memory_order_acq_rel, ::cuda::thread_scope_system);
    word(other, step, memories_.rank).store(turn, ::cuda::std::memory_order_relaxed);
  }
  /// Waits for the ranks whose bit is set. False if it was closed meanwhile.
  __device__ bool hear(int step, Turn turn, unsigned ranks = all) const {
    const int other = static_cast<int>(threadIdx.x);
    bool is_open = true;
    if (is_other(other) && (ranks >> other & 1U) != 0) {
      const SystemTurn come = word(memories_.rank, step, other);
      const std::int64_t begun = clock64();
      bool told = false;
      while (is_open && come.load(::cuda::std::memory_order_acquire) < turn) {
        is_open = *static_cast<const volatile Flag*>(gate_) != closed;
        if (told || clock64() - begun < patience) continue;
        say(other, raised);
        told = true;
      }
      if (told) say(other, lowered);
    }
    return __syncthreads_and(is_open ? 1 : 0) != 0;
  }
  __device__ bool meet(int step, Turn turn) const {
    tell(step, turn);
    return hear(step, turn);
  }

  /// Sends an address to the same block of rank `to`, which may read it once it has heard the next tell().
  __device__ void send_address(int to, std::byte* own) const { address(to, memories_.rank) = own; }
  __device__ std::byte* address_from(int rank) const { return address(memories_.rank, rank); }
  __device__ bool is_other(int rank) const { return rank < memories_.ranks && rank != memories_.rank; }

 private:
  using SystemTurn = ::cuda::atomic_ref<Turn, ::cuda::thread_scope_system>;

  __device__ void say(int other, Flag waits) const {
    ::cuda::atomic_ref<Flag, ::cuda::thread_scope_system>(waits_[other])
        .store(waits, ::cuda::std::memory_order_relaxed);
  }
  __device__ std::byte* slot(int of, std::int64_t part, int from, std::int64_t pack) const {
    return memories_.of[of] + part + from * memories_.slot + pack * PeerReductionMemory::pack;
  }
  /// Where rank `from` tells of the last tile that it has given to this block: of numbers in step 0, of
  /// results in step 1.
  __device__ SystemTurn word(int of, int step, int from) const {
    const std::int64_t number =
        static_cast<std::int64_t>(step * NumbersOfRanks::most_ranks + from) * PeerReductionMemory::blocks +
        blockIdx.x;
    return SystemTurn(reinterpret_cast<Turn*>(memories_.of[of])[number]);
  }

  /// Where rank `of` is sent one by rank `from`.
  __device__ std::byte*& address(int of, int from) const {
    auto* const addresses = reinterpret_cast<std::byte**>(memories_.of[of] + PeerReductionMemory::turns);
    return addresses[from * PeerReductionMemory::blocks + blockIdx.x];
  }

  const PeerMemories& memories_;
  const Flag* gate_;
  Flag* waits_;
  Turn turn_;
  std::int64_t given_;
};

/// The last block to end counts the launch, and tells the host.
__device__ inline void end(const PeerTask& task) {
  let_next_begin();
  __syncthreads();
  if (threadIdx.x != 0) return;
  __threadfence();
  PeerCounts& counts = *task.signals.counts;
  const ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_device> ended(counts.blocks_ended);
  if (ended.fetch_add(1, ::cuda::std::memory_order_acq_rel) != gridDim.x - 1) return;
  ended.store(0, ::cuda::std::memory_order_relaxed);
  counts.turn += task.turns;
  ++counts.launches;
  if (task.signals.number == PeerSignals::uncounted) return;
  ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_system>(task.signals.news->ended)
      .store(task.signals.number, ::cuda::std::memory_order_release);
}

/// Asked by all threads of a block, which find the same, though the gate may close meanwhile.
__device__ inline bool is_open(const PeerTask& task) {
  return __syncthreads_and(*static_cast<const volatile Flag*>(task.signals.gate) != closed ? 1 : 0) != 0;
}

/// Whether packs from there on can be moved at once.
__device__ inline bool is_aligned(const std::byte* address) {
  return reinterpret_cast<std::uintptr_t>(address) % PeerReductionMemory::pack == 0;
}

}  // namespace typewarp::gpu
