// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace typewarp::gpu {

/// Allocates memory of the current device to which kernels of others may store while its own read it. For
/// CUDA that is all memory; HIP has a kind of its own.
cudaError_t allocate_coherent(void** memory, std::size_t bytes);

}  // namespace typewarp::gpu
