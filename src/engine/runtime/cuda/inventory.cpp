// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/inventory.hpp"

#include "engine/runtime/cuda/check.hpp"
#include "engine/runtime/device_resources.hpp"

#include <array>

namespace typewarp::gpu {
namespace {

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

DeviceFacts facts_of(int id, int count) {
  cudaDeviceProp properties{};
  TYPEWARP_CUDA(cudaGetDeviceProperties(&properties, id));
  std::array<char, 32> bus{};
  TYPEWARP_CUDA(cudaDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), id));
  const int capability = 10 * properties.major + properties.minor;
  DeviceFacts facts{properties.name,
                    bus.data(),
                    static_cast<std::int64_t>(properties.totalGlobalMem),
                    properties.multiProcessorCount,
                    capability,
                    capability >= lowest_compute_capability(),
                    {}};
  for (int other = 0; other < count; ++other) {
    int reaches = 0;
    if (other == id || cudaDeviceCanAccessPeer(&reaches, id, other) != cudaSuccess) continue;
    if (reaches != 0) facts.reachable.push_back(other);
  }
  return facts;
}

}  // namespace

Inventory inventory() {
  Inventory result;
  int version = 0;
  if (cudaRuntimeGetVersion(&version) == cudaSuccess) result.runtime = version_text(version);
  if (cudaDriverGetVersion(&version) == cudaSuccess && version > 0) result.driver = version_text(version);
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) {
    result.problem = cudaGetErrorString(status);
    ignore(status);
    return result;
  }
  try {
    for (int id = 0; id < count; ++id) result.devices.push_back(facts_of(id, count));
  } catch (const GpuError& error) {
    result.problem = error.what();
  }
  if (count == 0) result.problem = "the driver knows no device";
  return result;
}

}  // namespace typewarp::gpu
