// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// HIP's headers for NVIDIA's GPUs, below this library's headers that say CUDA's words in HIP's: so the tests of what runs
/// on AMD's GPUs run on others. Here is what HIP 5.7 needs beside CUDA 13, and what it has for AMD's GPUs only.
#define TYPEWARP_WITHIN_HIP  // CUDA's own headers are read
#include <cuda_runtime.h>
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_profiler_api.h>

// Overloads that CUDA 13 removed. HIP's headers mention them, and nothing here calls those.
template <typename... Arguments>
cudaError_t cudaMemAdvise(Arguments...);
template <typename... Arguments>
cudaError_t cudaMemPrefetchAsync(Arguments...);
template <typename... Arguments>
cudaError_t cudaLaunchCooperativeKernelMultiDevice(Arguments...);
template <typename... Arguments>
cudaError_t cudaGraphAddDependencies(Arguments...);
template <typename... Arguments>
cudaError_t cudaGraphRemoveDependencies(Arguments...);
template <typename... Arguments>
cudaError_t cudaGraphGetEdges(Arguments...);
template <typename... Arguments>
cudaError_t cudaGraphNodeGetDependencies(Arguments...);
template <typename... Arguments>
cudaError_t cudaGraphNodeGetDependentNodes(Arguments...);
template <typename... Arguments>
cudaError_t cudaStreamUpdateCaptureDependencies(Arguments...);
template <typename... Arguments>
CUresult cuCtxCreate(Arguments...);
template <typename... Arguments>
CUresult cuStreamGetCaptureInfo_v2(Arguments...);
constexpr auto cudaDevAttrCooperativeMultiDeviceLaunch = cudaDevAttrCooperativeLaunch;
#ifndef __CUDACC__  // which has it
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphNode_t* failed,
                                       cudaGraphExecUpdateResult* result) {
  cudaGraphExecUpdateResultInfo info{};
  const cudaError_t status = cudaGraphExecUpdate(executable, graph, &info);
  *failed = info.errorNode;
  *result = info.result;
  return status;
}
#endif
/// With the fields of CUDA 12. Nothing sets them: HIP copies them to properties that this library does not read.
struct Cuda12DeviceProp : cudaDeviceProp {
  int clockRate, memoryClockRate, computeMode, cooperativeMultiDeviceLaunch, kernelExecTimeoutEnabled;
};

#define cudaDeviceProp Cuda12DeviceProp
#ifdef __CUDACC__
#include_next <hip/hip_runtime_api.h>
#else
#define __CUDACC__  // other compilers are shown a part only
#include_next <hip/hip_runtime_api.h>
#undef __CUDACC__
#endif
#undef cudaDeviceProp
#undef TYPEWARP_WITHIN_HIP

// HIP's words for AMD's GPUs.
inline constexpr unsigned hipDeviceMallocFinegrained = 0;
inline hipError_t hipExtMallocWithFlags(void** memory, std::size_t bytes, unsigned) { return hipMalloc(memory, bytes); }
/// With the one attribute that HIP's headers do not translate.
inline hipError_t hip_attribute_of_device(int* value, hipDeviceAttribute_t which, int device) {
  if (which != hipDeviceAttributeCanUseStreamWaitValue) return hipDeviceGetAttribute(value, which, device);
  *value = 1;  // as in every CUDA since 12
  return hipSuccess;
}
#define hipDeviceGetAttribute hip_attribute_of_device
inline int hipGetStreamDeviceId(hipStream_t stream) {
  int device = -1;
  return cudaStreamGetDevice(stream, &device) == cudaSuccess ? device : -1;
}

// Numbers that HIP's words are macros for, by CUDA's words, which mean HIP's from here on.
enum HipNumber : unsigned {
  hip_number_StreamWaitValueGte = hipStreamWaitValueGte,
  hip_number_StreamNonBlocking = hipStreamNonBlocking,
  hip_number_EventDisableTiming = hipEventDisableTiming,
  hip_number_HostMallocPortable = hipHostMallocPortable,
  hip_number_HostMallocMapped = hipHostMallocMapped,
  hip_number_HostMallocDefault = hipHostMallocDefault,
  hip_number_HostRegisterDefault = hipHostRegisterDefault,
  hip_number_HostRegisterPortable = hipHostRegisterPortable,
  hip_number_HostRegisterMapped = hipHostRegisterMapped,
  hip_number_MemAttachGlobal = hipMemAttachGlobal,
  hip_number_IpcMemLazyEnablePeerAccess = hipIpcMemLazyEnablePeerAccess,
};
#undef hipStreamWaitValueGte
#define hipStreamWaitValueGte static_cast<unsigned>(hip_number_StreamWaitValueGte)
#undef hipStreamNonBlocking
#undef cudaStreamNonBlocking
#define hipStreamNonBlocking static_cast<unsigned>(hip_number_StreamNonBlocking)
#undef hipEventDisableTiming
#undef cudaEventDisableTiming
#define hipEventDisableTiming static_cast<unsigned>(hip_number_EventDisableTiming)
#undef hipHostMallocPortable
#undef cudaHostAllocPortable
#define hipHostMallocPortable static_cast<unsigned>(hip_number_HostMallocPortable)
#undef hipHostMallocMapped
#undef cudaHostAllocMapped
#define hipHostMallocMapped static_cast<unsigned>(hip_number_HostMallocMapped)
#undef hipHostMallocDefault
#undef cudaHostAllocDefault
#define hipHostMallocDefault static_cast<unsigned>(hip_number_HostMallocDefault)
#undef hipHostRegisterDefault
#undef cudaHostRegisterDefault
#define hipHostRegisterDefault static_cast<unsigned>(hip_number_HostRegisterDefault)
#undef hipHostRegisterPortable
#undef cudaHostRegisterPortable
#define hipHostRegisterPortable static_cast<unsigned>(hip_number_HostRegisterPortable)
#undef hipHostRegisterMapped
#undef cudaHostRegisterMapped
#define hipHostRegisterMapped static_cast<unsigned>(hip_number_HostRegisterMapped)
#undef hipMemAttachGlobal
#undef cudaMemAttachGlobal
#define hipMemAttachGlobal static_cast<unsigned>(hip_number_MemAttachGlobal)
#undef hipIpcMemLazyEnablePeerAccess
#undef cudaIpcMemLazyEnablePeerAccess
#define hipIpcMemLazyEnablePeerAccess static_cast<unsigned>(hip_number_IpcMemLazyEnablePeerAccess)
inline const hipStream_t hip_stream_per_thread = hipStreamPerThread;
#undef hipStreamPerThread
#undef cudaStreamPerThread
#define hipStreamPerThread hip_stream_per_thread
#undef cudaStreamLegacy
#undef CUDART_VERSION

// What this library's headers define, beside CUDA's own of the same name.
#define cudaDeviceProp hip_cudaDeviceProp
#define cudaDeviceGetAttribute hip_cudaDeviceGetAttribute
#define cudaGetDeviceProperties hip_cudaGetDeviceProperties
#define cudaRuntimeGetVersion hip_cudaRuntimeGetVersion
#define cudaDriverGetVersion hip_cudaDriverGetVersion
#define cudaMemoryType hip_cudaMemoryType
#define cudaMemoryTypeUnregistered hip_cudaMemoryTypeUnregistered
#define cudaMemoryTypeHost hip_cudaMemoryTypeHost
#define cudaMemoryTypeDevice hip_cudaMemoryTypeDevice
#define cudaMemoryTypeManaged hip_cudaMemoryTypeManaged
#define cudaPointerAttributes hip_cudaPointerAttributes
#define cudaPointerGetAttributes hip_cudaPointerGetAttributes
#define cudaStreamGetDevice hip_cudaStreamGetDevice
#define cudaStreamWaitEvent hip_cudaStreamWaitEvent
#define cudaHostFn_t hip_cudaHostFn_t
#define cudaLaunchHostFunc hip_cudaLaunchHostFunc
#define cudaFuncAttributes hip_cudaFuncAttributes
#define cudaFuncGetAttributes hip_cudaFuncGetAttributes
#define cudaLaunchAttributeProgrammaticStreamSerialization hip_cudaLaunchAttributeProgrammaticStreamSerialization
#define cudaLaunchAttributePriority hip_cudaLaunchAttributePriority
#define cudaLaunchAttribute hip_cudaLaunchAttribute
#define cudaLaunchConfig_t hip_cudaLaunchConfig_t
#define cudaLaunchKernelExC hip_cudaLaunchKernelExC
#define cudaGraphExecUpdateResultInfo hip_cudaGraphExecUpdateResultInfo
#define cudaGraphExecUpdate hip_cudaGraphExecUpdate
#define cudaGraphUpload hip_cudaGraphUpload
#define CUdeviceptr hip_CUdeviceptr
#define cuuint32_t hip_cuuint32_t
#define cuPointerGetAttribute hip_cuPointerGetAttribute
#define cuPointerGetAttributes hip_cuPointerGetAttributes
#define CUmemorytype hip_CUmemorytype
#define CU_MEMORYTYPE_HOST HIP_CU_MEMORYTYPE_HOST
#define CU_MEMORYTYPE_DEVICE HIP_CU_MEMORYTYPE_DEVICE
#define CUstreamBatchMemOpType hip_CUstreamBatchMemOpType
#define CU_STREAM_MEM_OP_WAIT_VALUE_32 HIP_CU_STREAM_MEM_OP_WAIT_VALUE_32
#define CU_STREAM_MEM_OP_WRITE_VALUE_32 HIP_CU_STREAM_MEM_OP_WRITE_VALUE_32
#define CU_STREAM_MEM_OP_WAIT_VALUE_64 HIP_CU_STREAM_MEM_OP_WAIT_VALUE_64
#define CU_STREAM_MEM_OP_WRITE_VALUE_64 HIP_CU_STREAM_MEM_OP_WRITE_VALUE_64
#define CU_STREAM_WAIT_VALUE_GEQ HIP_CU_STREAM_WAIT_VALUE_GEQ
#define CU_STREAM_WRITE_VALUE_DEFAULT HIP_CU_STREAM_WRITE_VALUE_DEFAULT
#define CUstreamBatchMemOpParams hip_CUstreamBatchMemOpParams
#define cuStreamWriteValue64 hip_cuStreamWriteValue64
#define cuStreamBatchMemOp hip_cuStreamBatchMemOp
#define cudaDriverEntryPointQueryResult hip_cudaDriverEntryPointQueryResult
#define cudaDriverEntryPointSuccess hip_cudaDriverEntryPointSuccess
#define cudaDriverEntryPointSymbolNotFound hip_cudaDriverEntryPointSymbolNotFound
#define cudaEnableDefault hip_cudaEnableDefault
#define cudaGetDriverEntryPointByVersion hip_cudaGetDriverEntryPointByVersion
