// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/gpu/memory.hpp"
#include "engine/gpu/cuda/runtime/device.hpp"
#include "engine/gpu/cuda/runtime/driver.hpp"

namespace typewarp::gpu {

bool peers_may_touch(const void* pointer) {
  static const auto get_attribute =
      driver_entry<PFN_cuPointerGetAttribute_v4000>("cuPointerGetAttribute", 4000);
  if (get_attribute == nullptr) return false;
  // The driver's own word for memory of cudaMalloc: legacy inter-process handles exist for no other.
  int legacy = 0;
  const auto address = reinterpret_cast<CUdeviceptr>(pointer);
  const CUresult status = get_attribute(&legacy, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, address);
  return status == CUDA_SUCCESS && legacy != 0;
}

PointerInfo pointer_info(const void* pointer) {
  if (!present() || pointer == nullptr) return {};
  cudaPointerAttributes attributes{};
  const cudaError_t status = cudaPointerGetAttributes(&attributes, pointer);
  if (status == cudaErrorInvalidValue) {
    ignore(status);  // runtimes that do not know the address say so this way
    return {};
  }
  check(status, "cudaPointerGetAttributes(&attributes, pointer)");
  switch (attributes.type) {
    case cudaMemoryTypeHost:
      return {MemoryKind::pinned, -1};
    case cudaMemoryTypeDevice:
      return {MemoryKind::device, attributes.device};
    case cudaMemoryTypeManaged:
      return {MemoryKind::managed, attributes.device};
    case cudaMemoryTypeUnregistered:
      break;
  }
  return {};
}

}  // namespace typewarp::gpu
