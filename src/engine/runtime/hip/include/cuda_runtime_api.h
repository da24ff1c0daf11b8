// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// CUDA's runtime in the words of HIP 5.2 and later, as far as this library and its tests call it. What HIP has
/// under another name is a macro; what it has in another form is a function; what it lacks says
/// cudaErrorNotSupported, or is not found among the driver's functions, as with an old driver of CUDA.
#include <hip/hip_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#define CUDART_VERSION 13000
/// Every device that there is code for is new enough.
#define __CUDA_ARCH_LIST__ 10

// Errors.
#define cudaError_t hipError_t
#define cudaSuccess hipSuccess
#define cudaErrorInvalidValue hipErrorInvalidValue
#define cudaErrorMemoryAllocation hipErrorOutOfMemory
#define cudaErrorCudartUnloading hipErrorDeinitialized
#define cudaErrorNotReady hipErrorNotReady
#define cudaErrorStreamCaptureInvalidated hipErrorStreamCaptureInvalidated
#define cudaErrorPeerAccessAlreadyEnabled hipErrorPeerAccessAlreadyEnabled
#define cudaErrorNotSupported hipErrorNotSupported
#define cudaErrorGraphExecUpdateFailure hipErrorGraphExecUpdateFailure
#define cudaGetErrorString hipGetErrorString
#define cudaGetErrorName hipGetErrorName
#define cudaGetLastError hipGetLastError
#define cudaPeekAtLastError hipPeekAtLastError

// Devices.
#define cudaGetDeviceCount hipGetDeviceCount
#define cudaGetDevice hipGetDevice
#define cudaSetDevice hipSetDevice
#define cudaDeviceGetPCIBusId hipDeviceGetPCIBusId
#define cudaDeviceGetStreamPriorityRange hipDeviceGetStreamPriorityRange
#define cudaDeviceCanAccessPeer hipDeviceCanAccessPeer
#define cudaDeviceEnablePeerAccess hipDeviceEnablePeerAccess
#define cudaDeviceSynchronize hipDeviceSynchronize

// Memory and copies.
#define cudaHostAlloc hipHostMalloc
#define cudaHostAllocPortable hipHostMallocPortable
#define cudaHostAllocMapped hipHostMallocMapped
#define cudaHostAllocDefault hipHostMallocDefault
#define cudaHostRegister hipHostRegister
#define cudaHostRegisterDefault hipHostRegisterDefault
#define cudaHostRegisterPortable hipHostRegisterPortable
#define cudaHostRegisterMapped hipHostRegisterMapped
#define cudaHostUnregister hipHostUnregister
#define cudaMalloc hipMalloc
#define cudaMallocAsync hipMallocAsync
#define cudaMallocManaged hipMallocManaged
#define cudaMemAttachGlobal hipMemAttachGlobal
#define cudaFree hipFree
#define cudaFreeAsync hipFreeAsync
#define cudaFreeHost hipHostFree
#define cudaMemGetInfo hipMemGetInfo
#define cudaMemcpyDefault hipMemcpyDefault
#define cudaMemcpyHostToDevice hipMemcpyHostToDevice
#define cudaMemcpyDeviceToHost hipMemcpyDeviceToHost
#define cudaMemcpy hipMemcpy
#define cudaMemcpyAsync hipMemcpyAsync
#define cudaMemcpy2DAsync hipMemcpy2DAsync
#define cudaMemset hipMemset
#define cudaMemsetAsync hipMemsetAsync
#define cudaIpcMemHandle_t hipIpcMemHandle_t
#define cudaIpcMemLazyEnablePeerAccess hipIpcMemLazyEnablePeerAccess
#define cudaIpcGetMemHandle hipIpcGetMemHandle
#define cudaIpcOpenMemHandle hipIpcOpenMemHandle
#define cudaIpcCloseMemHandle hipIpcCloseMemHandle

// Streams and events.
#define cudaStream_t hipStream_t
#define cudaStreamLegacy reinterpret_cast<hipStream_t>(1)  // a handle of newer ones, which know it
#define cudaStreamPerThread hipStreamPerThread
#define cudaStreamNonBlocking hipStreamNonBlocking
#define cudaStreamCreateWithFlags hipStreamCreateWithFlags
#define cudaStreamCreateWithPriority hipStreamCreateWithPriority
#define cudaStreamDestroy hipStreamDestroy
#define cudaStreamGetFlags hipStreamGetFlags
#define cudaStreamGetPriority hipStreamGetPriority
#define cudaStreamQuery hipStreamQuery
#define cudaStreamSynchronize hipStreamSynchronize
#define cudaStreamCaptureMode hipStreamCaptureMode
#define cudaStreamCaptureModeGlobal hipStreamCaptureModeGlobal
#define cudaStreamCaptureModeThreadLocal hipStreamCaptureModeThreadLocal
#define cudaStreamCaptureModeRelaxed hipStreamCaptureModeRelaxed
#define cudaStreamCaptureStatus hipStreamCaptureStatus
#define cudaStreamCaptureStatusNone hipStreamCaptureStatusNone
#define cudaStreamIsCapturing hipStreamIsCapturing
#define cudaStreamBeginCapture hipStreamBeginCapture
#define cudaStreamEndCapture hipStreamEndCapture
#define cudaThreadExchangeStreamCaptureMode hipThreadExchangeStreamCaptureMode
#define cudaEvent_t hipEvent_t
#define cudaEventDisableTiming hipEventDisableTiming
#define cudaEventCreate hipEventCreate
#define cudaEventCreateWithFlags hipEventCreateWithFlags
#define cudaEventDestroy hipEventDestroy
#define cudaEventRecord hipEventRecord
#define cudaEventElapsedTime hipEventElapsedTime
#define cudaEventQuery hipEventQuery
#define cudaEventSynchronize hipEventSynchronize

// Graphs.
#define cudaGraph_t hipGraph_t
#define cudaGraphExec_t hipGraphExec_t
#define cudaGraphNode_t hipGraphNode_t
#define cudaGraphNodeType hipGraphNodeType
#define cudaGraphNodeTypeKernel hipGraphNodeTypeKernel
#define cudaKernelNodeParams hipKernelNodeParams
#define cudaGraphCreate hipGraphCreate
#define cudaGraphDestroy hipGraphDestroy
#define cudaGraphAddKernelNode hipGraphAddKernelNode
#define cudaGraphAddMemcpyNode1D hipGraphAddMemcpyNode1D
#define cudaGraphGetNodes hipGraphGetNodes
#define cudaGraphNodeGetType hipGraphNodeGetType
#define cudaGraphInstantiate hipGraphInstantiateWithFlags
#define cudaGraphExecDestroy hipGraphExecDestroy
#define cudaGraphExecKernelNodeSetParams hipGraphExecKernelNodeSetParams
#define cudaGraphLaunch hipGraphLaunch
#define cudaLaunchKernel hipLaunchKernel

// What has another form.

/// As CUDA writes versions: 5020 of 5.2. These are older than those of CUDA that brought what HIP lacks.
inline int cuda_version_of(int version) { return version / 10000000 * 1000 + version / 100000 % 100 * 10; }
inline cudaError_t cudaRuntimeGetVersion(int* version) {
  const cudaError_t status = hipRuntimeGetVersion(version);
  *version = status == hipSuccess ? cuda_version_of(*version) : 0;
  return status;
}
inline cudaError_t cudaDriverGetVersion(int* version) {
  const cudaError_t status = hipDriverGetVersion(version);
  *version = status == hipSuccess ? cuda_version_of(*version) : 0;
  return status;
}

/// Whether this library has machine code for the device: code of AMD's GPUs runs on no other ones. A device
/// that it has none for has compute capability 0.
inline bool cuda_has_code_for(const hipDeviceProp_t& device) {
  const std::size_t length = std::strcspn(device.gcnArchName, ":");
  for (const char* one = TYPEWARP_HIP_ARCHITECTURES; *one != '\0'; one += *one == ',' ? 1 : 0) {
    const std::size_t of_one = std::strcspn(one, ":,");
    if (of_one == length && std::strncmp(one, device.gcnArchName, length) == 0) return true;
    one += std::strcspn(one, ",");
  }
  return false;
}

#define cudaDeviceAttr hipDeviceAttribute_t
#define cudaDevAttrMultiProcessorCount hipDeviceAttributeMultiprocessorCount
#define cudaDevAttrMaxThreadsPerMultiProcessor hipDeviceAttributeMaxThreadsPerMultiProcessor
#define cudaDevAttrWarpSize hipDeviceAttributeWarpSize
#define cudaDevAttrComputeCapabilityMajor hipDeviceAttributeComputeCapabilityMajor
#define cudaDevAttrComputeCapabilityMinor hipDeviceAttributeComputeCapabilityMinor
#define cudaDevAttrMaxSharedMemoryPerMultiprocessor hipDeviceAttributeMaxSharedMemoryPerMultiprocessor
#define cudaDevAttrMaxSharedMemoryPerBlockOptin hipDeviceAttributeMaxSharedMemoryPerBlock
#define cudaDevAttrMemoryPoolsSupported hipDeviceAttributeMemoryPoolsSupported
#define cudaDevAttrReservedSharedMemoryPerBlock hipDeviceAttributeReservedSharedMemPerBlock
#define cudaDevAttrCanUseHostPointerForRegisteredMem hipDeviceAttributeCanUseHostPointerForRegisteredMem
#define cudaDevAttrMpsEnabled hipDeviceAttributeAmdSpecificEnd
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device) {
  *value = 0;
  switch (which) {
    case cudaDevAttrReservedSharedMemoryPerBlock:       // there is none
    case cudaDevAttrCanUseHostPointerForRegisteredMem:  // then the pointer is asked for
    case cudaDevAttrMpsEnabled:
      return hipSuccess;
    case cudaDevAttrComputeCapabilityMajor:
    case cudaDevAttrComputeCapabilityMinor: {
      hipDeviceProp_t properties{};
      const cudaError_t status = hipGetDeviceProperties(&properties, device);
      if (status != hipSuccess || !cuda_has_code_for(properties)) return status;
      *value = which == cudaDevAttrComputeCapabilityMajor ? properties.major : properties.minor;
      return hipSuccess;
    }
    default:
      return hipDeviceGetAttribute(value, which, device);
  }
}

#define cudaUUID_t hipUUID
struct cudaDeviceProp {
  char name[256];
  cudaUUID_t uuid;
  std::size_t totalGlobalMem;
  int multiProcessorCount, major, minor;
};
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  hipDeviceProp_t found{};
  cudaError_t status = hipGetDeviceProperties(&found, device);
  if (status != hipSuccess) return status;
  *properties = {};
  std::memcpy(properties->name, found.name[0] != '\0' ? found.name : found.gcnArchName, sizeof(found.name));
  properties->totalGlobalMem = found.totalGlobalMem;
  properties->multiProcessorCount = found.multiProcessorCount;
  properties->major = cuda_has_code_for(found) ? found.major : 0;
  properties->minor = cuda_has_code_for(found) ? found.minor : 0;
  return hipDeviceGetUuid(&properties->uuid, device);
}

enum cudaMemoryType : int {
  cudaMemoryTypeUnregistered,
  cudaMemoryTypeHost,
  cudaMemoryTypeDevice,
  cudaMemoryTypeManaged
};
struct cudaPointerAttributes {
  cudaMemoryType type;
  int device;
  void *devicePointer, *hostPointer;
};
inline cudaMemoryType cuda_memory_type_of(const hipPointerAttribute_t& found) {
#if HIP_VERSION_MAJOR >= 6
  const hipMemoryType type = found.type;
#else
  const hipMemoryType type = found.memoryType;
#endif
#if HIP_VERSION >= 50700000
  if (type == hipMemoryTypeManaged) return cudaMemoryTypeManaged;
#endif
  if (found.isManaged != 0) return cudaMemoryTypeManaged;
  if (type == hipMemoryTypeDevice) return cudaMemoryTypeDevice;
  return type == hipMemoryTypeHost ? cudaMemoryTypeHost : cudaMemoryTypeUnregistered;
}
/// Memory that HIP does not know is an error to it before HIP 6, which the next question for errors would find.
inline cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  *attributes = {cudaMemoryTypeUnregistered, -1, nullptr, nullptr};
  hipPointerAttribute_t found{};
  const cudaError_t status = hipPointerGetAttributes(&found, pointer);
  if (status == hipErrorInvalidValue) {
    static_cast<void>(hipGetLastError());
    return hipSuccess;
  }
  if (status != hipSuccess) return status;
  *attributes = {cuda_memory_type_of(found), found.device, found.devicePointer, found.hostPointer};
  return hipSuccess;
}

inline cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  *device = hipGetStreamDeviceId(stream);
  return *device >= 0 ? hipSuccess : hipErrorInvalidHandle;
}
inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0) {
  return hipStreamWaitEvent(stream, event, flags);
}

using cudaHostFn_t = void (*)(void* data);
/// HIP 5.2 declares the like, and does not have it.
inline cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  struct Work {
    cudaHostFn_t function;
    void* data;
  };
  auto* const work = new Work{function, data};
  const auto run = [](hipStream_t, hipError_t, void* given) {
    const Work own = *static_cast<const Work*>(given);
    delete static_cast<const Work*>(given);
    own.function(own.data);
  };
  const cudaError_t status = hipStreamAddCallback(stream, run, work, 0);
  if (status != hipSuccess) delete work;
  return status;
}

/// No code for a virtual machine is compiled: no kernel waits by itself for what it follows.
struct cudaFuncAttributes {
  int ptxVersion;
};
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel) {
  hipFuncAttributes found;
  attributes->ptxVersion = 0;
  return hipFuncGetAttributes(&found, kernel);
}
#define cudaFuncSetAttribute hipFuncSetAttribute
#define cudaFuncAttributeMaxDynamicSharedMemorySize hipFuncAttributeMaxDynamicSharedMemorySize

inline constexpr int cudaLaunchAttributeProgrammaticStreamSerialization = 6, cudaLaunchAttributePriority = 8;
struct cudaLaunchAttribute {
  int id;
  union {
    int priority, programmaticStreamSerializationAllowed;
  } val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned numAttrs;
};
inline cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel, void** arguments) {
  if (config->numAttrs > 0) return hipErrorNotSupported;
  return hipLaunchKernel(kernel, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes,
                         config->stream);
}

struct cudaGraphExecUpdateResultInfo {
  hipGraphExecUpdateResult result;
};
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                       cudaGraphExecUpdateResultInfo* result) {
  hipGraphNode_t failed;
  return hipGraphExecUpdate(executable, graph, &failed, &result->result);
}
/// The first launch does it.
inline cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return hipSuccess; }
