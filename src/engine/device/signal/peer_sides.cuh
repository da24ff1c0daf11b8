// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/signal/peer_task.cuh"

namespace typewarp::gpu {

/// Where ranks get the bytes of a long move, as this rank's device addresses it. In a block's shared memory.
class PeerSides {
 public:
  enum class Met : std::uint8_t { closed, mapped, unmapped };

  /// Ranks meet as they begin the launch, and find out alike whether all sides are mapped. A rank that gives
  /// up before all have come takes back that it has: who comes later leaves its memory alone.
  __device__ Met meet(const PeerTask& task, const PeerTurns& turns, PeerTurns::Turn turn) {
    using Mapping = NumbersOfRanks::Mapping;
    const NumbersOfRanks& numbers = task.numbers;
    const bool is_told = numbers.mapping == Mapping::told;
    const int rank = static_cast<int>(threadIdx.x);
    if (is_told && turns.is_other(rank)) turns.offer(rank, numbers.sides[rank]);
    // Who came early may have waited for others after a rank has taken its word back: look again.
    if (!turns.meet(0, turn) || !turns.hear(0, turn)) {
      turns.tell(0, turn - 1);
      return Met::closed;
    }
    if (numbers.mapping == Mapping::none) return Met::unmapped;
    bool is_mapped = true;
    if (rank < task.memories.ranks) {
      of_[rank] = is_told && turns.is_other(rank) ? turns.offered_by(rank) : numbers.sides[rank];
      is_mapped = of_[rank] != nullptr;
    }
    return __syncthreads_and(is_mapped ? 1 : 0) != 0 ? Met::mapped : Met::unmapped;
  }
  __device__ std::byte* of(int rank) const { return of_[rank]; }

 private:
  std::byte* of_[NumbersOfRanks::most_ranks];
};

}  // namespace typewarp::gpu
