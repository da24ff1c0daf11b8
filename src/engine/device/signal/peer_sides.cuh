// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/signal/peer_task.cuh"

namespace typewarp::gpu {

/// The sides of all ranks in memory that they have mapped, as this rank's device addresses them. In the
/// shared memory of a block.
class PeerSides {
 public:
  enum class Met : std::uint8_t { closed, mapped, unmapped };

  /// Ranks meet as they begin a launch of more than one step, and find out together whether all sides that
  /// it needs are mapped, where only each rank knows of its own. A rank that gives up before all have come
  /// takes back that it has: who comes later leaves its memory alone.
  __device__ Met meet(const PeerTask& task, const PeerTurns& turns, PeerTurns::Turn turn) {
    const NumbersOfRanks& numbers = task.numbers;
    const PeerTurns::Offer own{numbers.mapped_in.place, numbers.mapped_out.place};
    const bool is_told = numbers.mapping == NumbersOfRanks::Mapping::told;
    if (is_told) turns.offer(own);
    // Who came early may have waited for others after a rank has taken its word back: look again.
    if (!turns.meet(0, turn) || !turns.hear(0, turn)) {
      turns.tell(0, turn - 1);
      return Met::closed;
    }
    if (numbers.mapping == NumbersOfRanks::Mapping::none) return Met::unmapped;
    const int rank = static_cast<int>(threadIdx.x);
    bool is_mapped = true;
    if (rank < task.memories.ranks) {
      const bool knows = !is_told || rank == task.memories.rank;
      is_mapped = find(numbers, rank, knows ? own : turns.offered_by(rank));
    }
    return __syncthreads_and(is_mapped ? 1 : 0) != 0 ? Met::mapped : Met::unmapped;
  }
  __device__ std::byte* in(int rank) const { return in_[rank]; }
  __device__ std::byte* out(int rank) const { return out_[rank]; }

 private:
  using Result = NumbersOfRanks::Result;

  __device__ bool find(const NumbersOfRanks& numbers, int rank, const PeerTurns::Offer& theirs) {
    in_[rank] = numbers.mapped_in.of[rank] + theirs.in.offset;
    out_[rank] = numbers.mapped_out.of[rank] + theirs.out.offset;
    const bool needs_in = numbers.result != Result::gathered && numbers.result != Result::exchanged;
    const bool needs_out = numbers.result != Result::of_own;
    return (!needs_in || are_same(numbers.mapped_in.place, theirs.in)) &&
           (!needs_out || are_same(numbers.mapped_out.place, theirs.out));
  }
  __device__ static bool are_same(const MappedPlace& own, const MappedPlace& theirs) {
    return own.memory != 0 && own.memory == theirs.memory;
  }

  std::byte* in_[NumbersOfRanks::most_ranks];
  std::byte* out_[NumbersOfRanks::most_ranks];
};

}  // namespace typewarp::gpu
