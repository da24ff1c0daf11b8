// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/error.hpp>

#include <cuda_runtime.h>

namespace apps::gpu {

/// Throws typewarp::GpuError, which names the call, if it failed. For sources of CUDA.
inline void check(cudaError_t result, const char* call) {
  if (result != cudaSuccess) {
    cudaGetLastError();  // a reported error must not come up again in an unrelated call
    throw typewarp::GpuError(call, result, cudaGetErrorString(result));
  }
}

}  // namespace apps::gpu
