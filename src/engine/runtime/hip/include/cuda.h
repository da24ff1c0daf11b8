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
/// What HIP's releases answer in different ways is taken from its other functions: kinds of memory have other
/// numbers in each, sizes of ranges had 32 bits, and pools are not told of.
inline CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr memory) {
  const auto pointer = (hipDeviceptr_t)memory;
  hipDeviceptr_t base{};
  std::size_t size = 0;
  cudaPointerAttributes found{};
  CUresult status = hipSuccess;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      status = cudaPointerGetAttributes(&found, reinterpret_cast<const void*>(memory));
      if (status != hipSuccess) return status;
      if (found.type == cudaMemoryTypeUnregistered) return hipErrorInvalidValue;
      *static_cast<CUmemorytype*>(value) =
          found.type == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
      return hipSuccess;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      status = hipMemGetAddressRange(&base, &size, pointer);
      *static_cast<CUdeviceptr*>(value) = (CUdeviceptr)base;
      return status;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      status = hipMemGetAddressRange(&base, &size, pointer);
      *static_cast<std::size_t*>(value) = size;
      return status;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      if (hipPointerGetAttribute(value, attribute, pointer) == hipSuccess) return hipSuccess;
      *static_cast<CUmemoryPool*>(value) = nullptr;
      static_cast<void>(hipGetLastError());
      return hipSuccess;
    default:
      return hipPointerGetAttribute(value, attribute, pointer);
  }
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
