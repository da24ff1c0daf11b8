// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

/// What kernels use that is not C++ with a runtime's words: each has a plain version for other compilers.
namespace typewarp::gpu {

/// Fetches the sector at `address` into the second-level cache.
__device__ inline void prefetch_sector(const std::byte* address) {
#ifdef __CUDACC__
  asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
#else
  __builtin_prefetch(address);
#endif
}

/// The shared memory of a block that its launch asks for.
__device__ inline std::byte* dynamic_shared() {
#ifdef TYPEWARP_EMULATED
  return emulated::dynamic_shared();
#else
  extern __shared__ uint4 shared[];
  return reinterpret_cast<std::byte*>(shared);
#endif
}

/// Of kernels that enqueue_overlapping() launches: returns when all that the stream holds before is done.
__device__ inline void await_stream() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

/// From here on the next launch may start beside this one. Never call it while this one waits for a peer: the
/// peer may itself wait for a kernel of another stream, which would find no free multiprocessor then.
__device__ inline void let_next_begin() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

}  // namespace typewarp::gpu
