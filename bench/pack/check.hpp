// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

namespace typewarp::bench {

/// Throws GpuError unless `code` is cudaSuccess.
void check(cudaError_t code, const char* call);

}  // namespace typewarp::bench
