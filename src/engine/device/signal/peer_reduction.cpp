// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/peer_reduction.hpp"

#include "engine/device/signal/peer_task.hpp"
#include "engine/runtime/device_resources.hpp"
#include "engine/runtime/enqueue.hpp"
#include "engine/runtime/stream.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <span>

namespace typewarp::gpu {
namespace {

using Memory = PeerReductionMemory;
using Result = NumbersOfRanks::Result;

NumberKernel kernel_of(const NumbersOfRanks& numbers) {
  if (numbers.combines()) return reduction_kernel(numbers.type);
  const bool is_broadcast = numbers.result == Result::from_root;
  return {Memory::pack, is_broadcast ? broadcast_kernel() : moves_kernel(), false};
}

std::int64_t up(std::int64_t value, std::int64_t unit) noexcept { return (value + unit - 1) / unit; }

/// Packs, so many that a warp stores whole lines.
std::int64_t whole_lines(std::int64_t packs) noexcept {
  constexpr std::int64_t packs_of_line = 8;
  return up(packs, packs_of_line) * packs_of_line;
}

/// One more tile, as a shift makes it, takes some 4 us.
constexpr std::int64_t tiles_worth_a_shift = 8;

/// Of a ring, packs of a tile. It is passed on while others come, so each block has several if it can.
std::int64_t ring_tile_of(std::int64_t region) noexcept {
  constexpr std::int64_t least_tiles = 4;
  const auto rounds = static_cast<std::uint64_t>(up(up(region, least_tiles), Memory::threads));
  // Powers of two, so that a whole number of tiles fills a block's room.
  return std::min(static_cast<std::int64_t>(std::bit_ceil(rounds)) * Memory::threads, Memory::longest_tile);
}
/// Of a reduction: as few tiles as there is room for, of equal length, since each takes some 4 us to tell of.
std::int64_t tile_of(std::int64_t region) noexcept {
  return whole_lines(up(region, up(region, Memory::longest_tile)));
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
  PeerMemories memories{.rank = rank_, .ranks = ranks_};
  std::ranges::copy(memories_, memories.of);
  memories.slot = steps.in_one_step ? one_step_bytes(ranks_) : Memory::tiles;
  memories.given = Memory::turns + Memory::addresses + (steps.in_one_step ? 0 : 2 * slots);
  memories.other_given = steps.in_one_step ? slots : 0;
  memories.results = memories.given + ranks_ * Memory::tiles;
  const std::int64_t rounds = up(steps.packs, Memory::threads);
  const std::int64_t blocks = std::min<std::int64_t>(rounds, Memory::blocks);
  const std::int64_t region = whole_lines(up(steps.packs, blocks));
  const bool in_ring = !steps.in_one_step && !numbers.combines();
  const std::int64_t tile = steps.in_one_step ? region : in_ring ? ring_tile_of(region) : tile_of(region);
  const std::int64_t shift = in_ring && is_broadcast && region >= tiles_worth_a_shift * tile ? tile / 2 : 0;
  // Ranks meet before a ring begins, if need be, and once more after the last tile of a reduction in two
  // steps.
  const bool has_one_more =
      in_ring ? is_broadcast || numbers.mapping != NumbersOfRanks::Mapping::none : !steps.in_one_step;
  const std::int64_t turns = up(region + shift, tile) + (has_one_more ? 1 : 0);
  const bool counted = !capturing(stream);
  const std::uint64_t number = counted ? launches_.load() + 1 : PeerSignals::uncounted;
  PeerTask task{.numbers = numbers,
                .whole = steps.whole,
                .in_one_step = steps.in_one_step,
                .begin = steps.begin,
                .packs = steps.packs,
                .region = region,
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
