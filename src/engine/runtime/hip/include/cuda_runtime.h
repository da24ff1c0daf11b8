// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The words of kernels for HIP's compiler: what nvcc has without an #include.
#include <hip/hip_runtime.h>
#include <cuda_runtime_api.h>

#ifndef __grid_constant__
#define __grid_constant__
#endif

/// Loads and stores of what is not touched again soon.
template <typename T>
__device__ inline T __ldcs(const T* place) {
  return *place;
}
template <typename T>
__device__ inline void __stcs(T* place, const T& value) {
  *place = value;
}
/// From where other devices store: memory that allocate_coherent() gave, which no cache of a compute unit keeps.
template <typename T>
__device__ inline T __ldcg(const T* place) {
  return *place;
}
