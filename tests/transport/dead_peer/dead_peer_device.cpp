// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/dead_peer/dead_peer.hpp"

#include <cuda_runtime_api.h>

namespace typewarp::test {

std::shared_ptr<std::byte> zeros(std::int64_t bytes) {
  void* data = nullptr;
  const auto size = static_cast<std::size_t>(bytes);
  if (cudaMalloc(&data, size) != cudaSuccess || cudaMemset(data, 0, size) != cudaSuccess) return nullptr;
  cudaDeviceSynchronize();
  return {static_cast<std::byte*>(data), [](std::byte* memory) { cudaFree(memory); }};
}

bool take_device(int rank) { return cudaSetDevice(rank) == cudaSuccess; }

}  // namespace typewarp::test
