// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/signal/peer_task.cuh"

#include "engine/runtime/device_resources.hpp"
#include "engine/runtime/enqueue.hpp"
#include "engine/runtime/stream.hpp"
#include "plan/arithmetic.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <span>

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
__device__ NumberPack<T> load_given(const std::byte* place) {
  const uint4 bits = __ldcg(reinterpret_cast<const uint4*>(place));
  NumberPack<T> pack;
  static_assert(sizeof pack == sizeof bits);
  memcpy(&pack, &bits, sizeof bits);
  return pack;
}

template <typename T>
__device__ void give(std::byte* place, const NumberPack<T>& pack) {
  *reinterpret_cast<NumberPack<T>*>(place) = pack;
}

template <typename T>
class Reduction {
 public:
  __device__ explicit Reduction(const PeerTask& task) : task_(task), turns_(task) {}

  /// All blocks of all ranks call this. False: it was closed meanwhile.
  __device__ bool make() {
    const std::int64_t tiles = (task_.packs + task_.tile - 1) / task_.tile;
    Memory::Turn turn = turns_.turn();
    for (std::int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
      const std::int64_t first = tile * task_.tile;
      const std::int64_t end = min(first + task_.tile, task_.packs);
      // In one step there is room for all tiles, and in two for one of each block.
      const std::int64_t base =
          task_.in_one_step ? 0 : first - static_cast<std::int64_t>(blockIdx.x) * task_.tile;
      ++turn;
      give_numbers(first, end, base);
      if (!turns_.meet(0, turn)) return false;
      combine(first, end, base);
      if (!task_.in_one_step) {
        if (!turns_.meet(1, turn)) return false;
        take_results(first, end, base);
      }
    }
    return true;
  }

 private:
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
  /// Of a share's packs from the launch's first on, `first` to `end` as far as there are such.
  template <int unrolled, typename Act>
  __device__ void each(const NumberRange<T>& share, std::int64_t first, std::int64_t end, Act act) const {
    const std::int64_t last = min(end, share.packs() - task_.begin);
#pragma unroll unrolled
    for (std::int64_t i = first + threadIdx.x; i < last; i += Memory::threads) act(i);
  }

  __device__ void give_numbers(std::int64_t first, std::int64_t end, std::int64_t base) const {
    if (task_.in_one_step) {
      const NumberRange<T> all = given_by(0);
      each<copied>(all, first, end, [&](std::int64_t i) {
        const NumberPack<T> pack = all.load(task_.begin + i);
        for (int step = 1; step < task_.memories.ranks; ++step)
          give(turns_.given(turns_.peer(step), task_.memories.rank, i), pack);
      });
    } else {
      for (int step = 1; step < task_.memories.ranks; ++step) {
        const NumberRange<T> share = given_by(turns_.peer(step));
        std::byte* const to = turns_.given(turns_.peer(step), task_.memories.rank, -base);
        each<copied>(share, first, end,
                     [&](std::int64_t i) { give(to + i * Memory::pack, share.load(task_.begin + i)); });
      }
    }
  }

  /// In the order of ranks, of those up to `last`: the bits that reduce_local() gives in that order.
  __device__ NumberPack<T> combined(const NumberRange<T>& own, std::int64_t i, std::int64_t base,
                                    int last) const {
    const auto of = [&](int rank) {
      return rank == task_.memories.rank ? own.load(task_.begin + i)
                                         : load_given<T>(turns_.given(task_.memories.rank, rank, i - base));
    };
    NumberPack<T> result = of(0);
    NumberPack<T> next = of(min(1, last));
    for (int rank = 1; rank <= last; ++rank) {
      const NumberPack<T> pack = next;
      next = of(min(rank + 1, last));  // is loaded while the one before is combined
#pragma unroll
      for (int k = 0; k < NumberPack<T>::count; ++k)
        result.numbers[k] = plan::combined(task_.numbers.operation, pack.numbers[k], result.numbers[k]);
    }
    return result;
  }

  __device__ void combine(std::int64_t first, std::int64_t end, std::int64_t base) const {
    const Result kind = task_.numbers.result;
    const NumberRange<T> own = given_by(task_.memories.rank);
    const int last = kind == Result::up_to_own    ? task_.memories.rank
                     : kind == Result::before_own ? task_.memories.rank - 1
                                                  : task_.memories.ranks - 1;
    const bool is_kept = task_.numbers.out != nullptr && last >= 0;
    if (task_.in_one_step && !is_kept) return;
    const NumberRange<T> result = kind == Result::of_own
                                      ? NumberRange<T>{task_.numbers.out, own.count, task_.whole}
                                      : share_of(task_.numbers.out, task_.memories.rank);
    each<2>(own, first, end, [&](std::int64_t i) {
      const NumberPack<T> pack = combined(own, i, base, last);
      if (is_kept) result.store(task_.begin + i, pack);
      if (!task_.in_one_step) give_result(pack, i - base);
    });
  }

  __device__ void give_result(const NumberPack<T>& pack, std::int64_t place) const {
    const Result kind = task_.numbers.result;
    for (int step = 1; step < task_.memories.ranks; ++step) {
      const int to = turns_.peer(step);
      if (kind == Result::of_all || (kind == Result::of_root && to == task_.numbers.root))
        give(turns_.result(to, task_.memories.rank, place), pack);
    }
  }

  __device__ void take_results(std::int64_t first, std::int64_t end, std::int64_t base) const {
    if (task_.numbers.result == Result::of_own || task_.numbers.out == nullptr) return;
    for (int step = 1; step < task_.memories.ranks; ++step) {
      const int from = turns_.peer(step);
      const NumberRange<T> share = share_of(task_.numbers.out, from);
      each<copied>(share, first, end, [&](std::int64_t i) {
        share.store(task_.begin + i, load_given<T>(turns_.result(task_.memories.rank, from, i - base)));
      });
    }
  }

  static constexpr int copied = 4;  ///< packs that a thread has under way

  const PeerTask& task_;
  PeerTurns turns_;
};

template <typename T>
__global__ void __launch_bounds__(Memory::threads) reduce_among_ranks(const __grid_constant__ PeerTask task) {
  await_stream();
  if (is_open(task)) Reduction<T>(task).make();
  end(task);
}

/// How numbers of a type are moved and combined.
struct NumberKernel {
  std::int64_t in_pack;
  const void* kernel;
  bool has_gaps;  ///< which stay as they are
};
NumberKernel kernel_of(Named type) {
  NumberKernel found{};
  plan::visit_number(type, [&]<typename T>(T, plan::NumberKind kind) {
    found = {NumberPack<T>::count, kernel_address(reduce_among_ranks<T>), kind == plan::NumberKind::pair};
  });
  return found;
}

NumberKernel kernel_of(const NumbersOfRanks& numbers) {
  if (numbers.combines()) return kernel_of(numbers.type);
  const bool is_broadcast = numbers.result == Result::from_root;
  return {Memory::pack, is_broadcast ? broadcast_kernel() : moves_kernel(), false};
}

std::int64_t up(std::int64_t value, std::int64_t unit) noexcept { return (value + unit - 1) / unit; }

/// One more tile, as a shift makes it, takes some 4 us.
constexpr std::int64_t tiles_worth_a_shift = 8;

/// Packs of a tile. Those of a ring are passed on while others come, so each block has several if it can.
std::int64_t tile_of(std::int64_t packs, bool in_ring) noexcept {
  constexpr std::int64_t least_in_ring = 4;
  const std::int64_t of_block = up(packs, Memory::blocks);
  const std::int64_t wanted = up(in_ring ? up(of_block, least_in_ring) : of_block, Memory::threads);
  // Powers of two, so that a whole number of tiles fills a block's room.
  const auto rounds =
      in_ring ? static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(wanted))) : wanted;
  return std::min(rounds * Memory::threads, in_ring ? Memory::ring_tile : Memory::tile);
}

PeerNews& news_of(const PinnedBuffer& memory) noexcept { return *reinterpret_cast<PeerNews*>(memory.data()); }
std::span<Flag> waits_of(const PinnedBuffer& memory) noexcept {
  return {&news_of(memory).waits[0][0], sizeof(PeerNews::waits) / sizeof(Flag)};
}

}  // namespace

PeerReduction::PeerReduction(int device, int rank, std::span<std::byte* const> memories, bool in_a_row)
    : device_(device),
      rank_(rank),
      ranks_(static_cast<int>(memories.size())),
      in_a_row_(in_a_row),
      gate_(device, 1),
      counts_(device, sizeof(PeerCounts)),
      news_(sizeof(PeerNews)) {
  if (in_a_row) gpu::device(device).prepare();
  std::ranges::copy(memories, memories_.begin());
  clear(device, counts_.data(), sizeof(PeerCounts));
  std::memset(news_.data(), 0, sizeof(PeerNews));
}

bool PeerReduction::leaves_room(int on) { return gpu::device(on).multiprocessors() > Memory::blocks; }

void PeerReduction::load(const NumbersOfRanks& numbers) const {
  const DeviceGuard guard(device_);
  load_kernel(kernel_of(numbers).kernel);
}

void PeerReduction::enqueue(const NumbersOfRanks& numbers, Stream stream) {
  const bool is_broadcast = numbers.result == Result::from_root;
  const NumberKernel kernel = kernel_of(numbers);
  const auto& shares = numbers.shares;
  const auto ranks = static_cast<std::size_t>(ranks_);
  const bool is_scan = numbers.result == Result::up_to_own || numbers.result == Result::before_own;
  const std::int64_t all = up(shares[ranks] - shares[0], kernel.in_pack);
  std::int64_t longest = 0;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    longest = std::max(longest, up(shares[rank + 1] - shares[rank], kernel.in_pack));
  const std::int64_t given = numbers.combines() || is_broadcast ? all : longest;  // to a rank, in one step
  const bool in_one_step =
      is_scan || (numbers.result != Result::of_own && given * Memory::pack <= one_step_bytes(ranks_));
  const std::int64_t packs = in_one_step ? given : is_broadcast ? up(all, ranks_ - 1) : longest;
  const bool whole = !kernel.has_gaps && numbers.are_in_packs(ranks_, kernel.in_pack);
  const std::int64_t most = in_one_step ? one_step_bytes(ranks_) / Memory::pack : packs;
  const DeviceGuard guard(device_);
  for (std::int64_t begin = 0; begin < packs; begin += most) {
    const Steps steps{whole, in_one_step, begin, std::min(packs - begin, most)};
    launch(numbers, steps, kernel.kernel, stream);
  }
}

void PeerReduction::launch(const NumbersOfRanks& numbers, const Steps& steps, const void* kernel,
                           Stream stream) {
  const std::int64_t slots = ranks_ * one_step_bytes(ranks_);
  const bool is_broadcast = numbers.result == Result::from_root;
  const bool in_ring = !numbers.combines() && !steps.in_one_step;
  const bool meet_first = in_ring && (is_broadcast || numbers.mapping != NumbersOfRanks::Mapping::none);
  PeerMemories memories{.rank = rank_, .ranks = ranks_};
  std::ranges::copy(memories_, memories.of);
  memories.slot = steps.in_one_step ? one_step_bytes(ranks_) : Memory::tiles;
  memories.given = Memory::turns + Memory::addresses + (steps.in_one_step ? 0 : 2 * slots);
  memories.other_given = steps.in_one_step ? slots : 0;
  memories.results = memories.given + ranks_ * Memory::tiles;
  const std::int64_t tile = tile_of(steps.packs, in_ring);
  const std::int64_t tiles = up(steps.packs, tile);
  const std::int64_t blocks = std::min<std::int64_t>(tiles, Memory::blocks);
  const std::int64_t region = up(steps.packs, blocks);
  const std::int64_t shift = in_ring && is_broadcast && region >= tiles_worth_a_shift * tile ? tile / 2 : 0;
  const std::int64_t turns = (meet_first ? 1 : 0) + (in_ring ? up(region + shift, tile) : up(tiles, blocks));
  const bool counted = !capturing(stream);
  const std::uint64_t number = counted ? launches_.load() + 1 : PeerSignals::uncounted;
  PeerTask task{.numbers = numbers,
                .whole = steps.whole,
                .in_one_step = steps.in_one_step,
                .begin = steps.begin,
                .packs = steps.packs,
                .tile = tile,
                .shift = shift,
                .turns = static_cast<Memory::Turn>(turns),
                .memories = memories,
                .signals = {gate_.at(0), reinterpret_cast<PeerCounts*>(counts_.data()),
                            reinterpret_cast<PeerNews*>(news_.data()), number}};
  void* arguments[] = {&task};
  const LaunchContext context{device_, stream};
  if (in_a_row_) {
    enqueue_overlapping(context, kernel, blocks, Memory::threads, arguments);
  } else {
    enqueue_kernel(context, kernel, blocks, Memory::threads, arguments);
  }
  ++enqueued_;
  if (counted) launches_.store(number);
}

std::uint64_t PeerReduction::ended() const noexcept {
  return std::atomic_ref(news_of(news_).ended).load(std::memory_order_acquire);
}

bool PeerReduction::waits() const noexcept {
  return std::ranges::any_of(waits_of(news_), [](Flag& waits) { return std::atomic_ref(waits) != lowered; });
}

bool PeerReduction::waits_anew() noexcept {
  bool anew = false;
  for (Flag& waits : waits_of(news_)) {
    Flag found = raised;
    anew |= std::atomic_ref(waits).compare_exchange_strong(found, PeerNews::seen);
  }
  return anew;
}

void PeerReduction::check_device() const { check_alive(device_); }

}  // namespace typewarp::gpu
