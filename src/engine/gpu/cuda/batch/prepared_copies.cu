// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/gpu/cuda/batch/copy_tile.cuh"
#include "engine/gpu/cuda/batch/prepared_copies.hpp"
#include "engine/gpu/cuda/runtime/enqueue.hpp"
#include "engine/gpu/cuda/runtime/kernel_loader.hpp"

namespace typewarp::gpu {
namespace {

/// Every block moves a tile of one copy. Its threads look at the gate as one, since it may be raised
/// meanwhile.
template <bool regular>
__global__ void __launch_bounds__(launch_policy.threads)
    copy_prepared(const LongCopies* table, const Flag* gate) {
  if (__syncthreads_or(static_cast<int>(*static_cast<const volatile Flag*>(gate))) != 0) return;
  copy_tile<regular>(*table);
}

const void* kernel(bool regular) {
  return regular ? reinterpret_cast<const void*>(copy_prepared<true>)
                 : reinterpret_cast<const void*>(copy_prepared<false>);
}

const KernelLoader loader([](const Device&) {
  for (const bool regular : {false, true}) load_kernel(kernel(regular));
});

}  // namespace

void launch_prepared(const LongCopies* table, const CopiesSize& size, const Flag* gate,
                     const LaunchContext& context) {
  void* arguments[] = {static_cast<void*>(&table), static_cast<void*>(&gate)};
  enqueue_kernel(context, kernel(size.regular), size.tiles, launch_policy.threads, arguments);
}

}  // namespace typewarp::gpu
