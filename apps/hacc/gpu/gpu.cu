// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "common/gpu/check.hpp"
#include "hacc/gpu/gpu.hpp"

#include <cuda_runtime.h>

#include <algorithm>

namespace hacc::gpu {
namespace {

constexpr int threads = 256;
constexpr std::int64_t most_blocks = 1024;

__device__ std::int64_t first_word() { return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; }
__device__ std::int64_t all_threads() { return std::int64_t{gridDim.x} * blockDim.x; }

__global__ void gather_kernel(MemberTable table, std::uint32_t* packed) {
  gather_member(table, static_cast<int>(blockIdx.y), packed, first_word(), all_threads());
}

__global__ void scatter_kernel(MemberTable table, const std::uint32_t* packed) {
  scatter_member(table, static_cast<int>(blockIdx.y), packed, first_word(), all_threads());
}

/// A row of thread blocks for each member, enough for the longest.
dim3 blocks_for(const MemberTable& table) {
  std::int64_t longest = 1;
  for (int i = 0; i < MemberTable::members; ++i) {
    longest = std::max(longest, table.first[i + 1] - table.first[i]);
  }
  return {static_cast<unsigned>(std::min((longest + threads - 1) / threads, most_blocks)),
          MemberTable::members};
}

}  // namespace

void gather_members(const MemberTable& table, std::uint32_t* packed, typewarp::Stream stream) {
  gather_kernel<<<blocks_for(table), threads, 0, stream>>>(table, packed);
  apps::gpu::check(cudaGetLastError(), "gather_kernel");
}

void scatter_members(const MemberTable& table, const std::uint32_t* packed, typewarp::Stream stream) {
  scatter_kernel<<<blocks_for(table), threads, 0, stream>>>(table, packed);
  apps::gpu::check(cudaGetLastError(), "scatter_kernel");
}

}  // namespace hacc::gpu
