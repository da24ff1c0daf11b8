// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/device.hpp"
#include "engine/runtime/memory.hpp"

#include <cuda.h>
#include <dlfcn.h>

#include <cstdint>

namespace typewarp::gpu {
namespace {

/// Whether anything has initialised what lies below HIP, which itself would do it when asked.
bool initialised() noexcept {
  using Ask = int (*)(int what, void* answer);
  static const Ask ask = [] {
    // Never closed: HIP's runtime, which this library is linked with, has it.
    void* const library = dlopen("libhsa-runtime64.so.1", RTLD_LAZY | RTLD_NOLOAD);
    return library != nullptr ? reinterpret_cast<Ask>(dlsym(library, "hsa_system_get_info")) : nullptr;
  }();
  constexpr int major_version = 0, success = 0;  // HSA_SYSTEM_INFO_VERSION_MAJOR, HSA_STATUS_SUCCESS
  std::uint16_t version = 0;
  return ask == nullptr || ask(major_version, &version) == success;
}

/// As seen by the runtime.
cudaMemoryType type_of(const void* pointer) noexcept {
  if (pointer == nullptr || !in_use()) return cudaMemoryTypeUnregistered;
  cudaPointerAttributes found{};
  if (cudaPointerGetAttributes(&found, pointer) == cudaSuccess) return found.type;
  static_cast<void>(cudaGetLastError());
  return cudaMemoryTypeUnregistered;
}

}  // namespace

bool in_use() noexcept {
  if (!initialised()) return false;
  static const bool has_devices = [] {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) == cudaSuccess) return devices > 0;
    static_cast<void>(cudaGetLastError());
    return false;
  }();
  return has_devices;
}

bool on_device(const void* pointer) noexcept {
  const cudaMemoryType type = type_of(pointer);
  return type == cudaMemoryTypeDevice || type == cudaMemoryTypeManaged;
}

bool out_of_reach(const void* pointer) noexcept { return type_of(pointer) == cudaMemoryTypeDevice; }

// A device is current in each thread, without a context to be made.
bool has_context() noexcept { return in_use(); }

}  // namespace typewarp::gpu
