// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/gpu/run.hpp"

#ifdef __CUDACC__

#include "common/gpu/check.hpp"

#include <cuda_runtime.h>

namespace apps::gpu {

template <typename Work>
__global__ void run_kernel(Work work, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) {
    work(i);
  }
}

template <typename Work>
void run(const Work& work, std::int64_t count, typewarp::Stream stream) {
  constexpr int threads = 128;
  if (count == 0) return;
  const auto blocks = static_cast<unsigned>((count + threads - 1) / threads);
  run_kernel<<<blocks, threads, 0, stream>>>(work, count);
  check(cudaGetLastError(), "run_kernel");
}

}  // namespace apps::gpu

#else

#include <typewarp/error.hpp>

namespace apps::gpu {

template <typename Work>
void run(const Work&, std::int64_t, typewarp::Stream) {
  throw typewarp::Error("this build has no CUDA");
}

}  // namespace apps::gpu

#endif
