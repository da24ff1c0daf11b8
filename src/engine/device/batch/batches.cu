// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/batch/batch.hpp"
#include "engine/device/batch/copy_tile.cuh"

namespace typewarp::gpu {
namespace {

/// A tile of a batch's piece, between a layout and packed bytes: an object in shared memory.
template <bool packing, bool regular>
struct PackedTile {
  SharedSide<regular, BatchEntry::Small> side;

  /// All threads of the block call this, and meet before they move().
  template <typename Table>
  __device__ void load(const Table& table, const BatchEntry& entry) {
    side.fill(table.at(static_cast<int>(entry.view)), entry.small);
  }
  __device__ void move(const BatchEntry& entry, std::uint32_t tile) const {
    with_word(entry.word_log2, [&]<int word_log2>() {
      if (regular || entry.small) {
        move_at<word_log2>(entry, tile, [&](std::uint32_t k) { return side.small().at(k); });
      } else {
        move_at<word_log2>(entry, tile,
                           [&](std::uint32_t k) { return side.view().at_any(entry.lookup, k, word_log2); });
      }
    });
  }

 private:
  template <int word_log2, typename At>
  __device__ static void move_at(const BatchEntry& entry, std::uint32_t tile, const At& at) {
    const auto in_stream = [&](std::uint32_t k) {
      return entry.packed + std::size_t{k} * sizeof(Word<word_log2>);
    };
    const std::uint32_t first = first_word<word_log2>(entry, tile);
    if constexpr (packing) {
      move_words<word_log2>(first, entry.words, at, in_stream);
    } else {
      move_words<word_log2>(first, entry.words, in_stream, at);
    }
  }
};

/// A table that lies in the device's memory. Others travel with the launch as a parameter, which threads that
/// diverge read slowly.
template <typename Table>
struct InMemory {
  const Table* table;
};

template <typename Table>
__device__ const Table& table_of(const Table& table) {
  return table;
}
template <typename Table>
__device__ const Table& table_of(const InMemory<Table>& source) {
  return *source.table;
}

/// The entry that this block's tile belongs to. The threads look for it together in the device's memory.
template <typename Table>
__device__ auto entry_of(const Table& table) {
  return table.entry(table.find(blockIdx.x));
}
template <typename Table>
__device__ auto entry_of(const InMemory<Table>& source) {
  __shared__ int found;
  const Table& table = *source.table;
  for (int i = static_cast<int>(threadIdx.x); i < table.entries; i += launch_policy.threads) {
    const std::uint32_t next = i + 1 < table.entries ? table.entry(i + 1).first_tile : table.tiles;
    if (table.entry(i).first_tile <= blockIdx.x && blockIdx.x < next) found = i;
  }
  __syncthreads();
  return table.entry(found);
}

/// Every block moves a tile of one entry.
template <typename Tile, typename Source>
__global__ void __launch_bounds__(launch_policy.threads)
    walk_table(const __grid_constant__ Source source, const __grid_constant__ DeviceCounter counter) {
  __shared__ Tile tile;
  const auto entry = entry_of(source);
  tile.load(table_of(source), entry);
  __syncthreads();
  tile.move(entry, blockIdx.x);
  count_up(counter);
}

template <typename Source, bool packing>
const void* kernel(bool regular) {
  return regular ? kernel_address(walk_table<PackedTile<packing, true>, Source>)
                 : kernel_address(walk_table<PackedTile<packing, false>, Source>);
}

template <typename Source>
const void* kernel(Direction direction, bool regular) {
  return direction == Direction::pack ? kernel<Source, true>(regular) : kernel<Source, false>(regular);
}

template <typename Source>
const void* copying_kernel(bool regular) {
  return regular ? kernel_address(walk_table<CopyTile<true>, Source>)
                 : kernel_address(walk_table<CopyTile<false>, Source>);
}

template <typename Source>
void start(const void* which, const Source& source, std::uint32_t tiles, const LaunchContext& context) {
  enqueue_counting(context, which, tiles, launch_policy.threads, const_cast<Source*>(&source));
}

const KernelLoader loader([](const Device&) {
  for (const bool regular : {false, true}) {
    for (const Direction direction : {Direction::pack, Direction::unpack}) {
      load_kernel(kernel<InMemory<PreparedBatch>>(direction, regular));
      load_kernel(kernel<ShortBatch>(direction, regular));
      load_kernel(kernel<LongBatch>(direction, regular));
    }
    load_kernel(copying_kernel<ShortCopies>(regular));
    load_kernel(copying_kernel<LongCopies>(regular));
  }
});

}  // namespace

void launch_batch(const PreparedBatch* table, const BatchSize& size, Direction direction,
                  const LaunchContext& context) {
  using Source = InMemory<PreparedBatch>;
  start(kernel<Source>(direction, size.regular), Source{table}, size.tiles, context);
}

void launch_batch(const ShortBatch& table, Direction direction, const LaunchContext& context) {
  start(kernel<ShortBatch>(direction, table.regular), table, table.tiles, context);
}

void launch_batch(const LongBatch& table, Direction direction, const LaunchContext& context) {
  start(kernel<LongBatch>(direction, table.regular), table, table.tiles, context);
}

void launch_copies(const ShortCopies& table, const LaunchContext& context) {
  start(copying_kernel<ShortCopies>(table.regular), table, table.tiles, context);
}

void launch_copies(const LongCopies& table, const LaunchContext& context) {
  start(copying_kernel<LongCopies>(table.regular), table, table.tiles, context);
}

}  // namespace typewarp::gpu
