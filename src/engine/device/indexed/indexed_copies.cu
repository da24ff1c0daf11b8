// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/batch/copy_tile.cuh"
#include "engine/device/indexed/table.hpp"

namespace typewarp::gpu {
namespace {

/// Tells the host of item `k`, one of whose indices is out of range, unless it has been told of another one
/// that it has not read yet.
__device__ void note_wrong(const IndexedLaunch& launch, std::uint32_t k) {
  namespace order = ::cuda::std;
  using OfSystem = ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_system>;
  WrongIndexNote& note = *launch.note;
  const ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_device> noted(*launch.noted);
  std::uint64_t number = OfSystem(note.number).load(order::memory_order_acquire);
  while (noted.fetch_max(number, order::memory_order_relaxed) >= number) {
    const std::uint64_t before = number;
    number = OfSystem(note.number).load(order::memory_order_acquire);
    if (number == before) return;
  }
  if (OfSystem(note.owner).load(order::memory_order_relaxed) != launch.owner) return;
  const bool of_source = !launch.from.holds(launch.from.at(k));
  const Indices& list = of_source ? launch.from : launch.to;
  note.of_source = of_source ? 1 : 0;
  note.position = list.first + k;
  note.value = list.at(k);
  OfSystem(note.written).store(number, order::memory_order_release);
}

/// What all words of an entry have in common.
struct IndexedTile {
  const IndexedLaunch& launch;
  const IndexedEntry& entry;
  plan::Divider<std::uint32_t> words;  ///< of an item
  std::uint32_t number;                ///< of the entry's
};

/// Loads all of this thread's words before it stores any, as move_words() does.
template <int word_log2, bool regular>
__device__ void move_items(const IndexedTile& tile, const CopyTile<regular>& sides) {
  constexpr int depth = words_in_flight(word_log2);
  using W = Word<word_log2>;
  W values[depth];
  std::byte* to[depth];
  const IndexedLaunch& launch = tile.launch;
  const std::uint32_t of_item = tile.words.divisor;
  const std::uint32_t words = launch.items * of_item;
  const std::uint32_t first = tile.number * (depth * launch_policy.threads) + threadIdx.x;
#pragma unroll
  for (int j = 0; j < depth; ++j) {
    const std::uint32_t word = first + j * launch_policy.threads;
    to[j] = nullptr;
    if (word >= words) continue;
    const std::uint32_t k = of_item == 1 ? word : tile.words.quotient(word);
    const std::uint32_t rest = word - k * of_item;
    const std::int64_t i = launch.from.at(k);
    const std::int64_t o = launch.to.at(k);
    if (launch.from.holds(i) && launch.to.holds(o)) {
      values[j] = *reinterpret_cast<const W*>(sides.from.at(tile.entry.source, rest, word_log2) +
                                              i * tile.entry.source_stride);
      to[j] = sides.to.at(tile.entry.destination, rest, word_log2) + o * tile.entry.destination_stride;
    } else if (rest == 0) {
      note_wrong(launch, k);
    }
  }
#pragma unroll
  for (int j = 0; j < depth; ++j) {
    if (to[j] != nullptr) *reinterpret_cast<W*>(to[j]) = values[j];
  }
}

template <bool regular>
__global__ void __launch_bounds__(launch_policy.threads)
    copy_indexed(const __grid_constant__ IndexedLaunch launch,
                 const __grid_constant__ DeviceCounter counter) {
  __shared__ CopyTile<regular> sides;
  const IndexedTable& table = *launch.table;
  const std::uint32_t number = blockIdx.x / launch.tiles;
  const IndexedEntry entry = table.entry(static_cast<int>(number));
  sides.from.fill(table.at(entry.source.offset), entry.source.small);
  sides.to.fill(table.at(entry.destination.offset), entry.destination.small);
  const IndexedTile tile{launch, entry, table.words, blockIdx.x - number * launch.tiles};
  __syncthreads();
  with_word(table.word_log2, [&]<int word_log2>() { move_items<word_log2, regular>(tile, sides); });
  count_up(counter);
}

const void* kernel(bool regular) {
  return regular ? kernel_address(copy_indexed<true>) : kernel_address(copy_indexed<false>);
}

}  // namespace

void load_indexed() {
  for (const bool regular : {false, true}) load_kernel(kernel(regular));
}

void launch_indexed(IndexedLaunch& launch, std::int32_t entries, bool regular, const LaunchContext& context) {
  enqueue_counting(context, kernel(regular), std::int64_t{launch.tiles} * entries, launch_policy.threads,
                   &launch);
}

}  // namespace typewarp::gpu
