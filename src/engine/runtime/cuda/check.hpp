// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/error.hpp>

#include <cuda_runtime_api.h>

namespace typewarp::gpu {

/// Clears CUDA's last error, so that it surfaces once only, and throws GpuError.
[[noreturn, gnu::cold]] inline void fail(cudaError_t status, const char* call) {
  static_cast<void>(cudaGetLastError());
  throw GpuError(call, static_cast<int>(status), cudaGetErrorString(status));
}

inline void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess) fail(status, call);
}

/// For destructors: whatever went wrong stays unreported, and the last error clear. A runtime that is already
/// unloading has freed everything itself.
inline void ignore(cudaError_t status) noexcept {
  if (status != cudaSuccess) static_cast<void>(cudaGetLastError());
}

/// Whether the query of that status says that what it asks for has come.
inline bool came(cudaError_t status, const char* call) {
  if (status == cudaErrorNotReady) {
    ignore(status);
    return false;
  }
  check(status, call);
  return true;
}

}  // namespace typewarp::gpu

/// Evaluates a CUDA runtime call once; throws GpuError with the text of the call.
#define TYPEWARP_CUDA(call) ::typewarp::gpu::check((call), #call)
