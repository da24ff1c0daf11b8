// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/gpu/cuda/runtime/check.hpp"

#include <typewarp/error.hpp>

namespace typewarp::gpu {

void fail(cudaError_t status, const char* call) {
  static_cast<void>(cudaGetLastError());
  throw GpuError(call, static_cast<int>(status), cudaGetErrorString(status));
}

}  // namespace typewarp::gpu
