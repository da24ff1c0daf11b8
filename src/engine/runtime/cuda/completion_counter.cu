// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/cuda/completion_counter.hpp"
#include "engine/runtime/enqueue.hpp"

#include "engine/runtime/device_resources.hpp"

#include <cuda/atomic>

#include <algorithm>
#include <iterator>

namespace typewarp::gpu {
namespace {

/// The compute capability, times 10, that brought programmatic edges.
constexpr int programmatic_since = 90;

/// The count stays in device memory, which is nearer than the host's. It is read before the work is done: the
/// counts of one counter follow each other.
__global__ void count(std::uint64_t* counter, std::uint64_t* reached) {
  const std::uint64_t next = *counter + 1;
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
  *counter = next;
  ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_system>(*reached).store(
      next, ::cuda::std::memory_order_release);
}

}  // namespace

bool load_count() { return load_kernel(kernel_address(count)) >= programmatic_since; }

void append_count(Graph& graph, DeviceCounter counter, bool programmatic) {
  void* arguments[] = {&counter.counter, &counter.reached};
  cudaKernelNodeParams node{};
  node.func = const_cast<void*>(kernel_address(count));
  node.gridDim = dim3(1);
  node.blockDim = dim3(1);
  node.kernelParams = arguments;
  programmatic ? graph.add_programmatic(node) : graph.add(node);
}

int lowest_compute_capability() noexcept {
  constexpr int compiled[] = {__CUDA_ARCH_LIST__};  // 900 for 9.0
  return *std::min_element(std::begin(compiled), std::end(compiled)) / 10;
}

}  // namespace typewarp::gpu
