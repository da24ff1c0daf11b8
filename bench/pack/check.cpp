// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "check.hpp"

#include <typewarp/error.hpp>

namespace typewarp::bench {

void check(cudaError_t code, const char* call) {
  if (code != cudaSuccess) throw GpuError(call, code, cudaGetErrorString(code));
}

}  // namespace typewarp::bench
