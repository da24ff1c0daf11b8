// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "common/gpu/check.hpp"
#include "lammps/gpu/gpu.hpp"

#include <cuda_runtime.h>

namespace lammps::gpu {
namespace {

constexpr int threads = 128;

template <typename Work>
__global__ void run_kernel(Work work, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) {
    work(i);
  }
}

}  // namespace

template <typename Work>
void run(const Work& work, std::int64_t count, typewarp::Stream stream) {
  if (count == 0) return;
  const auto blocks = static_cast<unsigned>((count + threads - 1) / threads);
  run_kernel<<<blocks, threads, 0, stream>>>(work, count);
  apps::gpu::check(cudaGetLastError(), "run_kernel");
}

template void run(const Force&, std::int64_t, typewarp::Stream);
template void run(const KickAndDrift&, std::int64_t, typewarp::Stream);
template void run(const Kick&, std::int64_t, typewarp::Stream);
template void run(const Wrap&, std::int64_t, typewarp::Stream);
template void run(const GatherRows&, std::int64_t, typewarp::Stream);
template void run(const GatherWords&, std::int64_t, typewarp::Stream);
template void run(const AddVectors&, std::int64_t, typewarp::Stream);

}  // namespace lammps::gpu
