// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/signal/peer_bytes.cuh"

#include "engine/runtime/enqueue.hpp"
#include "plan/arithmetic.hpp"

#include <cstring>

namespace typewarp::gpu {
namespace {

using Memory = PeerReductionMemory;
using Result = NumbersOfRanks::Result;

template <typename T>
struct alignas(Memory::pack) NumberPack {
  static constexpr int count = Memory::pack / sizeof(T);
  T numbers[count];
};

/// Numbers of one rank: so many, at `address`. `whole`: packs lie where they can be loaded at once.
template <typename T>
struct NumberRange {
  std::byte* address;
  std::int64_t count;
  bool whole;

  __device__ std::int64_t packs() const { return (count + NumberPack<T>::count - 1) / NumberPack<T>::count; }
  __device__ NumberPack<T> load(std::int64_t pack) const {
    const std::int64_t first = pack * NumberPack<T>::count;
    if (whole && first + NumberPack<T>::count <= count)
      return *reinterpret_cast<const NumberPack<T>*>(address + pack * Memory::pack);
    NumberPack<T> loaded{};
    for (int i = 0; i < NumberPack<T>::count && first + i < count; ++i)
      memcpy(&loaded.numbers[i], address + (first + i) * std::int64_t{sizeof(T)}, sizeof(T));
    return loaded;
  }
  __device__ void store(std::int64_t pack, const NumberPack<T>& result) const {
    const std::int64_t first = pack * NumberPack<T>::count;
    if (whole && first + NumberPack<T>::count <= count) {
      *reinterpret_cast<NumberPack<T>*>(address + pack * Memory::pack) = result;
      return;
    }
    for (int i = 0; i < NumberPack<T>::count && first + i < count; ++i) {
      std::byte* const place = address + (first + i) * std::int64_t{sizeof(T)};
      T there;
      memcpy(&there, place, sizeof(T));
      plan::assign(there, result.numbers[i]);
      memcpy(place, &there, sizeof(T));
    }
  }
};

template <typename T>
__device__ PeerPack bits_of(const NumberPack<T>& numbers) {
  PeerPack bits;
  static_assert(sizeof bits == sizeof numbers);
  memcpy(&bits, &numbers, sizeof bits);
  return bits;
}
template <typename T>
__device__ NumberPack<T> numbers_of(const PeerPack& bits) {
  NumberPack<T> numbers;
  memcpy(&numbers, &bits, sizeof bits);
  return numbers;
}

template <typename T>
class Reduction {
 public:
  __device__ explicit Reduction(const PeerTask& task)
      : task_(task), turns_(task), rank_(task.memories.rank) {}

  /// All blocks of all ranks call this. False: it was closed meanwhile.
  __device__ bool make() const {
    const Turn first = turns_.turn() + 1;
    return task_.in_one_step ? make_in_one_step(first) : make_in_two_steps(first);
  }

 private:
  using Turn = Memory::Turn;
  using Packs = PeerPack[most_packs_of_tile];
  struct Tile {
    PeerTile packs;
    std::int64_t place;  ///< of the first one, in each rank's part of the memory
  };

  __device__ bool make_in_one_step(Turn first) const {
    const std::int64_t begin = blockIdx.x * task_.tile;
    const Tile all{{task_.begin, begin, min(begin + task_.tile, task_.packs)}, begin};
    give_numbers(all);
    if (!turns_.meet(0, first)) return false;
    combine(all);
    return true;
  }

  /// In each turn a rank gives a tile, combines the one before, of which it has heard, gives the result, and
  /// takes the results of the last but one: so it makes all that visible at once, and has room for two tiles.
  /// Nobody gives a tile before all have combined what was in its place, as they have told in the turn
  /// before.
  __device__ bool make_in_two_steps(Turn first) const {
    const std::int64_t tiles = (task_.region + task_.tile - 1) / task_.tile;
    for (std::int64_t next = 0; next < tiles + 2; ++next) {
      if (next > 0 && !turns_.hear(0, first + next - 1)) return false;
      if (next < tiles) give_numbers(tile(next));
      if (next > 0 && next <= tiles) combine(tile(next - 1));
      if (next > 1) take_results(tile(next - 2));
      if (next <= tiles) turns_.tell(0, first + next);
    }
    return true;
  }

  /// Each block has a region of every share.
  __device__ Tile tile(std::int64_t number) const {
    const std::int64_t region = blockIdx.x * task_.region;
    const std::int64_t end = region + min((number + 1) * task_.tile, task_.region);
    return {{0, region + number * task_.tile, min(end, task_.packs)},
            static_cast<std::int64_t>(blockIdx.x) * Memory::room + number % 2 * Memory::longest_tile};
  }
  __device__ static PeerTile within(const Tile& tile, const NumberRange<T>& share) {
    const auto& [begin, first, end] = tile.packs;
    return {begin, first, min(end, share.packs() - begin)};
  }

  __device__ NumberRange<T> range(std::byte* address, std::int64_t first, std::int64_t end) const {
    return {address + first * std::int64_t{sizeof(T)}, end - first, task_.whole};
  }
  __device__ NumberRange<T> share_of(std::byte* address, int rank) const {
    const auto& shares = task_.numbers.shares;
    return task_.in_one_step ? range(address, shares[0], shares[task_.memories.ranks])
                             : range(address, shares[rank], shares[rank + 1]);
  }
  __device__ NumberRange<T> given_by(int rank) const {
    return share_of(const_cast<std::byte*>(task_.numbers.in), rank);
  }

  __device__ void load_numbers(const PeerTile& tile, const NumberRange<T>& share, Packs& packs) const {
    load_tile(tile, packs, [&](std::int64_t pack, std::int64_t) { return bits_of(share.load(pack)); });
  }
  __device__ void store_numbers(const PeerTile& tile, const Packs& packs, const NumberRange<T>& share) const {
    store_tile(tile, packs, [&](std::int64_t pack, std::int64_t, const PeerPack& bits) {
      share.store(pack, numbers_of<T>(bits));
    });
  }
  /// To or from a place of memory.
  __device__ static void give_packs(const PeerTile& tile, const Packs& packs, std::byte* place) {
    store_tile(tile, packs, [&](std::int64_t, std::int64_t i, const PeerPack& bits) {
      give(place + i * Memory::pack, bits);
    });
  }
  __device__ static void take_packs(const PeerTile& tile, const std::byte* place, Packs& packs) {
    load_tile(tile, packs,
              [&](std::int64_t, std::int64_t i) { return load_given(place + i * Memory::pack); });
  }

  __device__ void give_numbers(const Tile& tile) const {
    Packs packs;
    for (int step = 1; step < task_.memories.ranks; ++step) {
      const int to = turns_.peer(step);
      const NumberRange<T> share = given_by(to);
      const PeerTile part = within(tile, share);
      if (step == 1 || !task_.in_one_step) load_numbers(part, share, packs);
      give_packs(part, packs, turns_.given(to, rank_, tile.place));
    }
  }

  /// Combines in the order of ranks, up to `last`: the bits that reduce_local() gives in that order.
  __device__ void combine_packs(const Tile& tile, const NumberRange<T>& own, int last, Packs& results) const {
    const PeerTile part = within(tile, own);
    const auto load = [&](int rank, Packs& packs) {
      if (rank == rank_) {
        load_numbers(part, own, packs);
      } else {
        take_packs(part, turns_.given(rank_, rank, tile.place), packs);
      }
    };
    Packs next;
    load(0, results);
    if (last > 0) load(1, next);
    for (int rank = 1; rank <= last; ++rank) {
      Packs packs;
#pragma unroll
      for (int k = 0; k < most_packs_of_tile; ++k) packs[k] = next[k];
      if (rank < last) load(rank + 1, next);  // while the one before is combined
#pragma unroll
      for (int k = 0; k < most_packs_of_tile; ++k) {
        if (part.first + threadIdx.x + k * Memory::threads >= part.end) break;
        results[k] = bits_of(combined(numbers_of<T>(packs[k]), numbers_of<T>(results[k])));
      }
    }
  }
  __device__ NumberPack<T> combined(const NumberPack<T>& numbers, NumberPack<T> result) const {
#pragma unroll
    for (int k = 0; k < NumberPack<T>::count; ++k)
      result.numbers[k] = plan::combined(task_.numbers.operation, numbers.numbers[k], result.numbers[k]);
    return result;
  }

  __device__ void combine(const Tile& tile) const {
    const Result kind = task_.numbers.result;
    const NumberRange<T> own = given_by(rank_);
    const int last = kind == Result::up_to_own    ? rank_
                     : kind == Result::before_own ? rank_ - 1
                                                  : task_.memories.ranks - 1;
    const bool is_kept = task_.numbers.out != nullptr && last >= 0;
    if (task_.in_one_step && !is_kept) return;
    Packs results;
    combine_packs(tile, own, last, results);
    if (!task_.in_one_step) give_results(tile, own, results);
    if (!is_kept) return;
    store_numbers(within(tile, own), results,
                  kind == Result::of_own ? NumberRange<T>{task_.numbers.out, own.count, task_.whole}
                                         : share_of(task_.numbers.out, rank_));
  }

  __device__ void give_results(const Tile& tile, const NumberRange<T>& own, const Packs& results) const {
    const Result kind = task_.numbers.result;
    for (int step = 1; step < task_.memories.ranks; ++step) {
      const int to = turns_.peer(step);
      if (kind == Result::of_all || (kind == Result::of_root && to == task_.numbers.root))
        give_packs(within(tile, own), results, turns_.result(to, rank_, tile.place));
    }
  }

  __device__ void take_results(const Tile& tile) const {
    if (task_.numbers.result == Result::of_own || task_.numbers.out == nullptr) return;
    for (int step = 1; step < task_.memories.ranks; ++step) {
      const int from = turns_.peer(step);
      const NumberRange<T> share = share_of(task_.numbers.out, from);
      Packs packs;
      take_packs(within(tile, share), turns_.result(rank_, from, tile.place), packs);
      store_numbers(within(tile, share), packs, share);
    }
  }

  const PeerTask& task_;
  PeerTurns turns_;
  int rank_;
};

template <typename T>
__global__ void __launch_bounds__(Memory::threads) reduce_among_ranks(const __grid_constant__ PeerTask task) {
  await_stream();
  if (is_open(task)) Reduction<T>(task).make();
  end(task);
}

}  // namespace

NumberKernel reduction_kernel(Named type) {
  NumberKernel found{};
  plan::visit_number(type, [&]<typename T>(T, plan::NumberKind kind) {
    found = {NumberPack<T>::count, kernel_address(reduce_among_ranks<T>), kind == plan::NumberKind::pair};
  });
  return found;
}

}  // namespace typewarp::gpu
