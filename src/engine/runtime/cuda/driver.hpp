// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/cuda/check.hpp"

#include <cudaTypedefs.h>

namespace typewarp::gpu {

/// A function of the driver as CUDA `since` declares it (12020 is 12.2), found through the runtime, so that
/// the library needs no driver to link or load. Null where the driver has none.
template <typename Function>
Function driver_entry(const char* name, unsigned since) {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  TYPEWARP_CUDA(cudaGetDriverEntryPointByVersion(name, &entry, since, cudaEnableDefault, &found));
  return found == cudaDriverEntryPointSuccess ? reinterpret_cast<Function>(entry) : nullptr;
}

/// Stores what the driver tells of an address. False if it knows nothing.
inline bool tell_of_pointer(void* value, CUpointer_attribute which, const void* pointer) {
  static const auto tell = driver_entry<PFN_cuPointerGetAttribute_v4000>("cuPointerGetAttribute", 4000);
  return tell != nullptr && tell(value, which, reinterpret_cast<CUdeviceptr>(pointer)) == CUDA_SUCCESS;
}

}  // namespace typewarp::gpu
