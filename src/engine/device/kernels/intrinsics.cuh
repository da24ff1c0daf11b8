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

}  // namespace typewarp::gpu
