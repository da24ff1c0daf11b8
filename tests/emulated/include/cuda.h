// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// CUDA's driver, as far as this library and its tests call it: see cuda_runtime_api.h.
#include <cuda_runtime_api.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef EMULATED_ENUM(cudaError_enum){CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1,
                                      CUDA_ERROR_NOT_INITIALIZED = 3,
                                      CUDA_ERROR_NOT_SUPPORTED = 801} CUresult;
typedef uintptr_t CUdeviceptr;
typedef uint32_t cuuint32_t;
typedef struct CUctx_st* CUcontext;
typedef cudaStream_t CUstream;
typedef struct CUmemPoolHandle_st* CUmemoryPool;
typedef EMULATED_ENUM(CUmemorytype){CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_DEVICE = 2} CUmemorytype;
typedef EMULATED_ENUM(CUpointer_attribute){
    CU_POINTER_ATTRIBUTE_CONTEXT = 1,           CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
    CU_POINTER_ATTRIBUTE_BUFFER_ID = 7,         CU_POINTER_ATTRIBUTE_IS_MANAGED = 8,
    CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,    CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE = 10,
    CU_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11, CU_POINTER_ATTRIBUTE_RANGE_SIZE = 12,
    CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE = 17,
} CUpointer_attribute;
CUresult cuDeviceGetCount(int* count);
typedef int CUdevice;
CUresult cuCtxGetCurrent(CUcontext* context);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuCtxCreate(CUcontext* context, unsigned flags, CUdevice device);  // of CUDA 3.2
CUresult cuCtxDestroy(CUcontext context);
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active);
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device);
CUresult cuStreamGetCtx(CUstream stream, CUcontext* context);
CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr memory);
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes, void** values,
                                CUdeviceptr memory);

typedef EMULATED_ENUM(CUstreamBatchMemOpType){
    CU_STREAM_MEM_OP_WAIT_VALUE_32 = 1, CU_STREAM_MEM_OP_WRITE_VALUE_32 = 2,
    CU_STREAM_MEM_OP_WAIT_VALUE_64 = 4, CU_STREAM_MEM_OP_WRITE_VALUE_64 = 5} CUstreamBatchMemOpType;
enum { CU_STREAM_WAIT_VALUE_GEQ = 0, CU_STREAM_WRITE_VALUE_DEFAULT = 0 };
typedef union {
  CUstreamBatchMemOpType operation;
  struct {
    CUstreamBatchMemOpType operation;
    CUdeviceptr address;
    union {
      cuuint32_t value;
      uint64_t value64;
    };
    unsigned flags;
  } waitValue, writeValue;
} CUstreamBatchMemOpParams;
CUresult cuStreamBatchMemOp(CUstream stream, unsigned count, CUstreamBatchMemOpParams* operations,
                            unsigned flags);
CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr word, uint64_t value, unsigned flags);

#ifdef __cplusplus
}
#endif
