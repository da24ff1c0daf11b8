// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime.h>

/// Copies are complete at once.
template <typename T>
__device__ inline void __pipeline_memcpy_async(T* to, const void* from, std::size_t bytes) {
  __builtin_memcpy(to, from, bytes);
}
__device__ inline void __pipeline_commit() {}
__device__ inline void __pipeline_wait_prior(std::size_t) {}
