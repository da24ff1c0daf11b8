// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// CUDA's driver, in the words of HIP: see cuda_runtime_api.h.
#include <cuda_runtime_api.h>

#define CUresult hipError_t
#define CUDA_SUCCESS hipSuccess
#define CUDA_ERROR_NOT_SUPPORTED hipErrorNotSupported
#define CUstream hipStream_t
#define CUmemoryPool hipMemPool_t
using CUdeviceptr = std::uintptr_t;
using cuuint32_t = std::uint32_t;

#define CUpointer_attribute hipPointer_attribute
#define CU_POINTER_ATTRIBUTE_MEMORY_TYPE HIP_POINTER_ATTRIBUTE_MEMORY_TYPE
#define CU_POINTER_ATTRIBUTE_BUFFER_ID HIP_POINTER_ATTRIBUTE_BUFFER_ID
#define CU_POINTER_ATTRIBUTE_IS_MANAGED HIP_POINTER_ATTRIBUTE_IS_MANAGED
#define CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL
#define CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE
#define CU_POINTER_ATTRIBUTE_RANGE_START_ADDR HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR
#define CU_POINTER_ATTRIBUTE_RANGE_SIZE HIP_POINTER_ATTRIBUTE_RANGE_SIZE
#define CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE

enum CUmemorytype : int { CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_DEVICE = 2 };
/// Null where HIP does not say.
inline CUmemoryPool cuda_pool_of(CUdeviceptr memory) {
  CUmemoryPool pool = nullptr;
  if (hipPointerGetAttribute(&pool, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, (hipDeviceptr_t)memory) == hipSuccess)
    return pool;
  static_cast<void>(hipGetLastError());
  return nullptr;
}
/// HIP does not say whether a handle exists; it makes one of whatever memory of a device is its own and no
/// pool's. Kinds of memory have other numbers in each of its releases.
inline CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr memory) {
  if (attribute == CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE) {
    *static_cast<CUmemoryPool*>(value) = cuda_pool_of(memory);
    return hipSuccess;
  }
  if (attribute != CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE &&
      attribute != CU_POINTER_ATTRIBUTE_MEMORY_TYPE) {
    return hipPointerGetAttribute(value, attribute, (hipDeviceptr_t)memory);
  }
  cudaPointerAttributes found{};
  const CUresult status = cudaPointerGetAttributes(&found, reinterpret_cast<const void*>(memory));
  if (status != hipSuccess) return status;
  if (found.type == cudaMemoryTypeUnregistered) return hipErrorInvalidValue;
  if (attribute == CU_POINTER_ATTRIBUTE_MEMORY_TYPE) {
    *static_cast<CUmemorytype*>(value) =
        found.type == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
  } else {
    *static_cast<int*>(value) = found.type == cudaMemoryTypeDevice && cuda_pool_of(memory) == nullptr ? 1 : 0;
  }
  return hipSuccess;
}
inline CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes, void** values,
                                       CUdeviceptr memory) {
  for (unsigned i = 0; i < count; ++i) {
    const CUresult status = cuPointerGetAttribute(values[i], attributes[i], memory);
    if (status != hipSuccess) return status;
  }
  return hipSuccess;
}

enum CUstreamBatchMemOpType {
  CU_STREAM_MEM_OP_WAIT_VALUE_32 = 1,
  CU_STREAM_MEM_OP_WRITE_VALUE_32 = 2,
  CU_STREAM_MEM_OP_WAIT_VALUE_64 = 4,
  CU_STREAM_MEM_OP_WRITE_VALUE_64 = 5
};
inline constexpr unsigned CU_STREAM_WAIT_VALUE_GEQ = hipStreamWaitValueGte, CU_STREAM_WRITE_VALUE_DEFAULT = 0;
union CUstreamBatchMemOpParams {
  CUstreamBatchMemOpType operation;
  struct {
    CUstreamBatchMemOpType operation;
    CUdeviceptr address;
    union {
      cuuint32_t value;
      std::uint64_t value64;
    };
    unsigned flags;
  } waitValue, writeValue;
};
inline CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr word, std::uint64_t value, unsigned flags) {
  return hipStreamWriteValue64(stream, reinterpret_cast<void*>(word), value, flags);
}
/// One by one, which no stream can tell from a batch.
inline CUresult cuStreamBatchMemOp(CUstream stream, unsigned count, CUstreamBatchMemOpParams* operations, unsigned) {
  for (unsigned i = 0; i < count; ++i) {
    const auto& one = operations[i].writeValue;
    void* const word = reinterpret_cast<void*>(one.address);
    CUresult status = hipErrorNotSupported;
    switch (one.operation) {
      case CU_STREAM_MEM_OP_WAIT_VALUE_32:
        status = hipStreamWaitValue32(stream, word, one.value, one.flags, ~0U);
        break;
      case CU_STREAM_MEM_OP_WAIT_VALUE_64:
        status = hipStreamWaitValue64(stream, word, one.value64, one.flags, ~std::uint64_t{0});
        break;
      case CU_STREAM_MEM_OP_WRITE_VALUE_32:
        status = hipStreamWriteValue32(stream, word, one.value, one.flags);
        break;
      case CU_STREAM_MEM_OP_WRITE_VALUE_64:
        status = hipStreamWriteValue64(stream, word, one.value64, one.flags);
        break;
    }
    if (status != hipSuccess) return status;
  }
  return hipSuccess;
}
