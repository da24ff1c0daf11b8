// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/device_counter.hpp"

#include <cuda/atomic>

/// How a kernel tells the host of its own end.
namespace typewarp::gpu {

/// Counts one up, after all that the grid has moved: the last block to come here does. All threads of all
/// blocks call it once.
__device__ inline void count_up(const DeviceCounter& counter) {
  if (counter.reached == nullptr) return;
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (gridDim.x > 1) {
    const ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_device> ended(*counter.ended());
    if (ended.fetch_add(1, ::cuda::std::memory_order_acq_rel) != gridDim.x - 1) return;
    ended.store(0, ::cuda::std::memory_order_relaxed);  // for the next kernel, which this one precedes
  }
  const std::uint64_t next = *counter.counter + 1;
  *counter.counter = next;
  ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_system>(*counter.reached)
      .store(next, ::cuda::std::memory_order_release);
}

}  // namespace typewarp::gpu
