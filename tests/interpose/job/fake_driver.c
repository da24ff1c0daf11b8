// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A driver for which all memory is that of its one device, or none with FAKE_DRIVER_MEMORY=host: preloaded, or
// loaded later, as libcuda.so.1, which a process that uses CUDA has loaded.
#include <cuda.h>
#include <stdlib.h>
#include <string.h>

CUresult cuDeviceGetCount(int* count) {
  *count = 1;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = NULL;
  return CUDA_SUCCESS;
}

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr address) {
  (void)address;
  const char* kind = getenv("FAKE_DRIVER_MEMORY");
  if (kind != NULL && strcmp(kind, "host") == 0) return CUDA_ERROR_INVALID_VALUE;
  *(unsigned*)data = attribute == CU_POINTER_ATTRIBUTE_MEMORY_TYPE ? CU_MEMORYTYPE_DEVICE : 0;
  return CUDA_SUCCESS;
}
