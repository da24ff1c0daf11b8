// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/cuda/counting.hpp"
#include "engine/cuda/device.hpp"
#include "engine/cuda/graph.hpp"
#include "engine/cuda/launch.hpp"

#include <cuda/atomic>

/// How a kernel tells the host of its own end.
namespace typewarp::cuda {

/// The tally that whoever waits offers to the next launch, of `blocks` thread blocks; a null one if there is
/// none, or the blocks may not all run at once.
inline Tally tally_for(const Device& device, std::int64_t blocks) {
  if (blocks > std::int64_t{launch_policy.telling_blocks} * device.multiprocessors()) return {};
  Graph* const graph = Graph::recorded();
  return graph != nullptr ? graph->take_tally() : Counting::take(device.id());
}

/// Counts one up, after all that the grid has moved: the last block to come here does. All threads of all
/// blocks call it once.
__device__ inline void count_up(const Tally& tally) {
  if (tally.reached == nullptr) return;
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (gridDim.x > 1) {
    const ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_device> ended(*tally.ended());
    if (ended.fetch_add(1, ::cuda::std::memory_order_acq_rel) != gridDim.x - 1) return;
    ended.store(0, ::cuda::std::memory_order_relaxed);  // for the next kernel, which this one precedes
  }
  const std::uint64_t next = *tally.counter + 1;
  *tally.counter = next;
  ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_system>(*tally.reached)
      .store(next, ::cuda::std::memory_order_release);
}

}  // namespace typewarp::cuda
