// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/batch/copy_tile.cuh"
#include "engine/runtime/enqueue.hpp"

namespace typewarp::gpu {
namespace {

/// Every block moves a tile of one copy. The table travels with the launch.
template <bool regular, typename Table>
__global__ void __launch_bounds__(launch_policy.threads)
    copy_batch(const __grid_constant__ Table table, const __grid_constant__ DeviceCounter counter) {
  __shared__ CopyTile<regular> tile;
  const CopyEntry entry = tile.load(table);
  __syncthreads();
  tile.move(entry);
  count_up(counter);
}

template <typename Table>
const void* kernel(bool regular) {
  return regular ? reinterpret_cast<const void*>(copy_batch<true, Table>)
                 : reinterpret_cast<const void*>(copy_batch<false, Table>);
}

template <typename Table>
void launch(const Table& table, const LaunchContext& context) {
  enqueue_counting(context, kernel<Table>(table.regular), table.tiles, launch_policy.threads,
                   const_cast<Table*>(&table));
}

const KernelLoader loader([](const Device&) {
  for (const bool regular : {false, true}) {
    load_kernel(kernel<ShortCopies>(regular));
    load_kernel(kernel<LongCopies>(regular));
  }
});

}  // namespace

void launch_copies(const ShortCopies& table, const LaunchContext& context) { launch(table, context); }

void launch_copies(const LongCopies& table, const LaunchContext& context) { launch(table, context); }

}  // namespace typewarp::gpu
