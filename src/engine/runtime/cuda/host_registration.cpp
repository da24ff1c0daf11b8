// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/host_registration.hpp"

#include "engine/runtime/cuda/check.hpp"
#include "engine/runtime/device_resources.hpp"

#include <cuda_runtime_api.h>

namespace typewarp::gpu {

HostRegistration::HostRegistration(std::byte* memory, std::int64_t bytes) : memory_(memory) {
  const DeviceGuard guard(current_device());
  const RelaxedCapture relaxed;
  TYPEWARP_CUDA(cudaHostRegister(memory, static_cast<std::size_t>(bytes),
                                 cudaHostRegisterPortable | cudaHostRegisterMapped));
}

HostRegistration::~HostRegistration() {
  if (memory_ == nullptr) return;
  try {
    const DeviceGuard guard(current_device());
    const RelaxedCapture relaxed;
    ignore(cudaHostUnregister(memory_));
  } catch (const GpuError&) {
    return;  // the runtime is gone, and what it had registered
  }
}

std::byte* HostRegistration::on(int id) const { return device(id).address_of(memory_); }

}  // namespace typewarp::gpu
