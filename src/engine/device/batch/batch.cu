// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/batch/batch.hpp"
#include "engine/device/kernels/move.cuh"
#include "engine/runtime/enqueue.hpp"

namespace typewarp::gpu {
namespace {

template <int word_log2, bool packing, typename At>
__device__ void move_tile(std::byte* packed, std::uint32_t words, std::uint32_t first, const At& at) {
  const auto in_stream = [&](std::uint32_t k) { return packed + std::size_t{k} * sizeof(Word<word_log2>); };
  if constexpr (packing) {
    move_words<word_log2>(first, words, at, in_stream);
  } else {
    move_words<word_log2>(first, words, in_stream, at);
  }
}

/// The view of this block's piece. It lies in shared memory, since levels are told apart at run time: arrays
/// in registers cannot be indexed.
template <typename Kind>
struct SharedView {
  static_assert(sizeof(Kind) % sizeof(std::uint64_t) == 0);
  static constexpr int words = sizeof(Kind) / sizeof(std::uint64_t);
  std::uint64_t memory[words];

  /// All threads of the block fill it together.
  __device__ void fill(const Kind& view) {
    for (int i = static_cast<int>(threadIdx.x); i < words; i += launch_policy.threads) {
      memory[i] = reinterpret_cast<const std::uint64_t*>(&view)[i];
    }
    __syncthreads();
  }
  __device__ const Kind& get() const { return *reinterpret_cast<const Kind*>(memory); }
};

/// `regular` says that every view of the table is small: the kernel takes fewer registers then.
template <int word_log2, bool packing, bool regular, typename Table>
__device__ void move_entry(const Table& table, const BatchEntry& entry) {
  const std::uint32_t tile = blockIdx.x - entry.first_tile;
  const std::uint32_t first = tile * (words_in_flight(word_log2) * launch_policy.threads) + threadIdx.x;
  if (regular || entry.small) {
    __shared__ SharedView<BatchEntry::Small> view;
    view.fill(table.template view<BatchEntry::Small>(entry));
    move_tile<word_log2, packing>(entry.packed, entry.words, first,
                                  [&](std::uint32_t k) { return view.get().at(k); });
  } else {
    __shared__ SharedView<View> view;
    view.fill(table.template view<View>(entry));
    move_tile<word_log2, packing>(entry.packed, entry.words, first, [&](std::uint32_t k) {
      return view.get().at_any(entry.lookup, k, word_log2);
    });
  }
}

template <bool packing, bool regular, typename Table>
__device__ void move_any(const Table& table, const BatchEntry& entry) {
  with_word(entry.word_log2, [&]<int word_log2>() { move_entry<word_log2, packing, regular>(table, entry); });
}

/// Every block moves a tile of one piece, which its threads look for together.
template <bool packing, bool regular>
__global__ void __launch_bounds__(launch_policy.threads)
    move_batch(const PreparedBatch* table, const __grid_constant__ DeviceCounter counter) {
  __shared__ int piece;
  for (int i = static_cast<int>(threadIdx.x); i < table->entries; i += launch_policy.threads) {
    const std::uint32_t next = i + 1 < table->entries ? table->entry(i + 1).first_tile : table->tiles;
    if (table->entry(i).first_tile <= blockIdx.x && blockIdx.x < next) piece = i;
  }
  __syncthreads();
  const BatchEntry entry = table->entry(piece);
  move_any<packing, regular>(*table, entry);
  count_up(counter);
}

/// The same with a table that travels with the launch: parameters are slow to read for threads that diverge.
template <bool packing, bool regular, typename Table>
__global__ void __launch_bounds__(launch_policy.threads)
    move_batch_once(const __grid_constant__ Table table, const __grid_constant__ DeviceCounter counter) {
  const BatchEntry entry = table.entry(table.find(blockIdx.x));
  move_any<packing, regular>(table, entry);
  count_up(counter);
}

template <bool packing>
const void* prepared_kernel(bool regular) {
  return regular ? reinterpret_cast<const void*>(move_batch<packing, true>)
                 : reinterpret_cast<const void*>(move_batch<packing, false>);
}

template <bool packing, typename Table>
const void* once_kernel(bool regular) {
  return regular ? reinterpret_cast<const void*>(move_batch_once<packing, true, Table>)
                 : reinterpret_cast<const void*>(move_batch_once<packing, false, Table>);
}

template <typename Table>
const void* kernel(Direction direction, bool regular) {
  return direction == Direction::pack ? once_kernel<true, Table>(regular)
                                      : once_kernel<false, Table>(regular);
}

const void* kernel(Direction direction, bool regular) {
  return direction == Direction::pack ? prepared_kernel<true>(regular) : prepared_kernel<false>(regular);
}

template <typename Table>
void launch(const Table& table, Direction direction, const LaunchContext& context) {
  enqueue_counting(context, kernel<Table>(direction, table.regular), table.tiles, launch_policy.threads,
                   const_cast<Table*>(&table));
}

const KernelLoader loader([](const Device&) {
  for (const Direction direction : {Direction::pack, Direction::unpack}) {
    for (const bool regular : {false, true}) {
      load_kernel(kernel(direction, regular));
      load_kernel(kernel<ShortBatch>(direction, regular));
      load_kernel(kernel<LongBatch>(direction, regular));
    }
  }
});

}  // namespace

void launch_batch(const ShortBatch& table, Direction direction, const LaunchContext& context) {
  launch(table, direction, context);
}

void launch_batch(const LongBatch& table, Direction direction, const LaunchContext& context) {
  launch(table, direction, context);
}

void launch_batch(const PreparedBatch* table, const BatchSize& size, Direction direction,
                  const LaunchContext& context) {
  enqueue_counting(context, kernel(direction, size.regular), size.tiles, launch_policy.threads, &table);
}

}  // namespace typewarp::gpu
