// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/signal/peer_turns.cuh"

namespace typewarp::gpu {

/// The receiving buffers of a long move, and the root's in a broadcast, as this rank's device addresses them.
/// In a block's shared memory.
class MappedBuffers {
 public:
  enum class Met : std::uint8_t { closed, mapped, unmapped };

  /// Ranks meet as they begin the launch, and find out whether all buffers are mapped: all find the same. A
  /// rank that gives up before all have come withdraws that it has, so that ranks which come later leave its
  /// memory alone. It cannot stop those that have seen all.
  __device__ Met meet(const PeerTask& task, const PeerTurns& turns, PeerTurns::Turn turn) {
    using Mapping = NumbersOfRanks::Mapping;
    const NumbersOfRanks& numbers = task.numbers;
    const bool is_told = numbers.mapping == Mapping::told;
    const int rank = static_cast<int>(threadIdx.x);
    if (is_told && turns.is_other(rank)) turns.send_address(rank, numbers.buffers[rank]);
    // Who came early may have waited for others after a rank has withdrawn: look again.
    if (!turns.meet(0, turn) || !turns.hear(0, turn)) {
      turns.tell(0, turn - 1);
      return Met::closed;
    }
    if (numbers.mapping == Mapping::none) return Met::unmapped;
    bool is_mapped = true;
    if (rank < task.memories.ranks) {
      of_[rank] = is_told && turns.is_other(rank) ? turns.address_from(rank) : numbers.buffers[rank];
      is_mapped = of_[rank] != nullptr && takes_packs(numbers, rank);
    }
    return __syncthreads_and(is_mapped ? 1 : 0) != 0 ? Met::mapped : Met::unmapped;
  }
  __device__ std::byte* of(int rank) const { return of_[rank]; }

 private:
  /// Single bytes would take many times as long on their way as packs. Mapped, a buffer keeps its alignment.
  __device__ bool takes_packs(const NumbersOfRanks& numbers, int rank) const {
    const std::int64_t begin = numbers.shares[rank], end = numbers.shares[rank + 1];
    return is_aligned(of_[rank]) && (begin == end || begin % PeerReductionMemory::pack == 0);
  }

  std::byte* of_[NumbersOfRanks::most_ranks];
};

}  // namespace typewarp::gpu
