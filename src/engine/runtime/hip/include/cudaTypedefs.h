// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The driver's functions by name: see cuda_runtime_api.h.
#include <cuda.h>

#include <string_view>

using PFN_cuPointerGetAttribute_v4000 = decltype(&cuPointerGetAttribute);
using PFN_cuPointerGetAttributes_v7000 = decltype(&cuPointerGetAttributes);
using PFN_cuStreamBatchMemOp_v11070 = decltype(&cuStreamBatchMemOp);
using PFN_cuStreamWriteValue64_v11070 = decltype(&cuStreamWriteValue64);

enum cudaDriverEntryPointQueryResult { cudaDriverEntryPointSuccess, cudaDriverEntryPointSymbolNotFound };
inline constexpr unsigned cudaEnableDefault = 0;

/// Operations of streams on words are there where the current device has them.
inline cudaError_t cudaGetDriverEntryPointByVersion(std::string_view name, void** entry, unsigned, unsigned,
                                                    cudaDriverEntryPointQueryResult* found) {
  *entry = nullptr;
  if (name == "cuPointerGetAttribute") *entry = reinterpret_cast<void*>(&cuPointerGetAttribute);
  if (name == "cuPointerGetAttributes") *entry = reinterpret_cast<void*>(&cuPointerGetAttributes);
  if (name == "cuStreamBatchMemOp" || name == "cuStreamWriteValue64") {
    int device = 0, has_operations = 0;
    cudaError_t status = hipGetDevice(&device);
    if (status == hipSuccess)
      status = hipDeviceGetAttribute(&has_operations, hipDeviceAttributeCanUseStreamWaitValue, device);
    if (status != hipSuccess) return status;
    if (has_operations != 0) {
      *entry = name == "cuStreamBatchMemOp" ? reinterpret_cast<void*>(&cuStreamBatchMemOp)
                                            : reinterpret_cast<void*>(&cuStreamWriteValue64);
    }
  }
  *found = *entry != nullptr ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return hipSuccess;
}
