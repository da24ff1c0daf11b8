// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "arena.hpp"
#include "calls.hpp"
#include "streams.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <utility>

#ifdef __SANITIZE_THREAD__
extern "C" {
void AnnotateIgnoreSyncBegin(const char* file, int line);
void AnnotateIgnoreSyncEnd(const char* file, int line);
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
// What kernels do to volatile words, which GPUs read and store at once, is a race with nothing.
void __tsan_volatile_read1(void*) {}
void __tsan_volatile_read2(void*) {}
void __tsan_volatile_read4(void*) {}
void __tsan_volatile_read8(void*) {}
void __tsan_volatile_read16(void*) {}
void __tsan_volatile_write1(void*) {}
void __tsan_volatile_write2(void*) {}
void __tsan_volatile_write4(void*) {}
void __tsan_volatile_write8(void*) {}
void __tsan_volatile_write16(void*) {}
}
#else
#define AnnotateIgnoreSyncBegin(file, line)
#define AnnotateIgnoreSyncEnd(file, line)
#define AnnotateIgnoreReadsBegin(file, line)
#define AnnotateIgnoreReadsEnd(file, line)
#endif

namespace emulated {
namespace {

int number_of(const char* variable, int otherwise) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? std::atoi(text) : otherwise;
}

void check_device(int device) { require(device >= 0 && device < device_count(), cudaErrorInvalidDevice); }

constexpr int highest_priority = -5;

/// What kernels and their launches are chosen by.
int attribute_of(cudaDeviceAttr attribute) {
  switch (attribute) {
    case cudaDevAttrWarpSize:
      return number_of("EMULATED_WARP", 32);
    case cudaDevAttrMultiProcessorCount:
      return 132;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return 2048;
    case cudaDevAttrComputeCapabilityMajor:
      return 9;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return 228 << 10;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return 227 << 10;
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return 1 << 10;
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
    case cudaDevAttrMemoryPoolsSupported:
      return 1;
    case cudaDevAttrComputeCapabilityMinor:
    case cudaDevAttrMpsEnabled:
      return 0;
  }
  throw Failure{cudaErrorInvalidValue};
}

std::atomic<bool> is_initialised{false};

}  // namespace

Unseen::Unseen() {
  AnnotateIgnoreSyncBegin(__FILE__, __LINE__);
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);  // and writes
}

Unseen::~Unseen() {
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  AnnotateIgnoreSyncEnd(__FILE__, __LINE__);
}

int device_count() {
  static const int count = number_of("EMULATED_DEVICES", 2);
  return count;
}

bool reaches(int device, int other) {
  static const int group = number_of("EMULATED_GROUP", device_count());
  return device / group == other / group;
}

int version() {
  static const int told = number_of("EMULATED_VERSION", CUDART_VERSION);
  return told;
}

OfThread& of_thread() {
  thread_local OfThread own;
  return own;
}

bool initialised() { return is_initialised.load(std::memory_order_acquire); }

CUctx_st* primary_context(int device) {
  static auto& all = *[] {
    auto made = new std::deque<CUctx_st>;
    for (int id = 0; id < device_count(); ++id) made->emplace_back(id);
    return made;
  }();
  return &all.at(static_cast<std::size_t>(device));
}

void make_primary_current(int device) {
  OfThread& here = of_thread();
  here.device = device;
  here.context = primary_context(device);
  here.context->is_active = true;
}

void initialise() {
  is_initialised.store(true, std::memory_order_release);
  if (of_thread().context == nullptr) make_primary_current(of_thread().device);
}

}  // namespace emulated

using namespace emulated;

namespace {

constexpr std::pair<cudaError_t, const char*> texts[] = {
    {cudaSuccess, "no error"},
    {cudaErrorInvalidValue, "invalid argument"},
    {cudaErrorMemoryAllocation, "out of memory"},
    {cudaErrorInvalidDeviceFunction, "invalid device function"},
    {cudaErrorNoDevice, "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "invalid resource handle"},
    {cudaErrorNotReady, "device not ready"},
    {cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled"},
    {cudaErrorStreamCaptureImplicit,
     "operation would make the legacy stream depend on a capturing blocking stream"},
    {cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"},
    {cudaErrorStreamCaptureInvalidated, "operation failed due to a previous error during capture"},
    {cudaErrorGraphExecUpdateFailure, "the graph update was not performed"}};

}  // namespace

const char* cudaGetErrorString(cudaError_t error) {
  for (const auto& [code, text] : texts) {
    if (code == error) return text;
  }
  return "an error that the emulated device does not know";
}

const char* cudaGetErrorName(cudaError_t error) { return cudaGetErrorString(error); }

cudaError_t cudaGetLastError() { return std::exchange(of_thread().last_error, cudaSuccess); }

cudaError_t cudaPeekAtLastError() { return of_thread().last_error; }

cudaError_t cudaGetDeviceCount(int* count) {
  return ask([&] {
    *count = device_count();
    require(*count > 0, cudaErrorNoDevice);
    is_initialised.store(true, std::memory_order_release);
  });
}

cudaError_t cudaGetDevice(int* device) {
  return ask([&] {
    require(device_count() > 0, cudaErrorNoDevice);
    *device = of_thread().device;
  });
}

cudaError_t cudaSetDevice(int device) {
  return call([&] {
    check_device(device);
    make_primary_current(device);
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return ask([&] {
    check_device(device);
    *value = attribute_of(attribute);
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return ask([&] {
    check_device(device);
    *properties = {};
    std::snprintf(properties->name, sizeof(properties->name), "emulated device");
    // All processes have the same devices.
    std::memcpy(properties->uuid.bytes, "emulated", 8);
    std::memcpy(properties->uuid.bytes + 8, &device, sizeof(device));
    properties->totalGlobalMem = Arena::bytes;
    properties->multiProcessorCount = attribute_of(cudaDevAttrMultiProcessorCount);
    properties->major = attribute_of(cudaDevAttrComputeCapabilityMajor);
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* name, int room, int device) {
  return ask([&] {
    check_device(device);
    std::snprintf(name, static_cast<std::size_t>(room), "0000:%02x:00.0", device);
  });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return call([&] {
    *least = 0;
    *greatest = highest_priority;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return ask([&] {
    check_device(device);
    check_device(peer);
    *can = device != peer && reaches(device, peer) ? 1 : 0;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  return call([&] {
    check_device(peer);
    require(peer != of_thread().device && reaches(of_thread().device, peer), cudaErrorInvalidDevice);
  });
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = emulated::version();
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }
