// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/cuda/context.hpp"

#include "engine/runtime/cuda/driver.hpp"
#include "engine/runtime/device_resources.hpp"
#include "engine/runtime/memory.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <type_traits>

namespace typewarp::gpu {
namespace {

struct Driver {
  PFN_cuCtxGetCurrent_v4000 get = driver_entry<PFN_cuCtxGetCurrent_v4000>("cuCtxGetCurrent", 4000);
  PFN_cuCtxSetCurrent_v4000 set = driver_entry<PFN_cuCtxSetCurrent_v4000>("cuCtxSetCurrent", 4000);
  PFN_cuDevicePrimaryCtxGetState_v7000 state =
      driver_entry<PFN_cuDevicePrimaryCtxGetState_v7000>("cuDevicePrimaryCtxGetState", 7000);
  PFN_cuDevicePrimaryCtxRetain_v7000 retain =
      driver_entry<PFN_cuDevicePrimaryCtxRetain_v7000>("cuDevicePrimaryCtxRetain", 7000);
  PFN_cuStreamGetCtx_v9020 of_stream = driver_entry<PFN_cuStreamGetCtx_v9020>("cuStreamGetCtx", 9020);
};

const Driver& driver() {
  static const Driver found;
  return found;
}

/// Retained when it is first seen to exist, until the process ends.
class PrimaryContext {
 public:
  explicit PrimaryContext(int device) : device_(device) {}
  bool is(CUcontext other) {
    const CUcontext known = context_.load(std::memory_order_acquire);
    return other == (known != nullptr ? known : found());
  }

 private:
  /// Null while there is none.
  CUcontext found() {
    const std::lock_guard lock(mutex_);
    unsigned flags = 0;
    int active = 0;
    CUcontext context = context_.load(std::memory_order_relaxed);
    if (context == nullptr && driver().state(device_, &flags, &active) == CUDA_SUCCESS && active != 0 &&
        driver().retain(&context, device_) == CUDA_SUCCESS) {
      context_.store(context, std::memory_order_release);
    }
    return context;
  }

  int device_;
  std::mutex mutex_;
  std::atomic<CUcontext> context_{nullptr};
};

bool is_primary(int device, CUcontext context) {
  return device < 0 || device >= device_count() || kept<PrimaryContext>(device).is(context);
}

/// While it lives a context is current.
class InContext {
 public:
  explicit InContext(CUcontext context) {
    driver().get(&before_);
    driver().set(context);
  }
  InContext& operator=(InContext&&) = delete;
  ~InContext() { driver().set(before_); }

 private:
  CUcontext before_ = nullptr;
};

struct Destroyed {
  void operator()(cudaEvent_t event) const noexcept { ignore(cudaEventDestroy(event)); }
};
/// What has been recorded, or is waited for, stays so when it is destroyed.
using OwnEvent = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, Destroyed>;

OwnEvent behind(cudaStream_t stream) {
  cudaEvent_t event = nullptr;
  TYPEWARP_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  OwnEvent made(event);
  TYPEWARP_CUDA(cudaEventRecord(event, stream));
  return made;
}

/// False while a stream that waits for it is captured: its use would end the capture.
bool default_stream_is_usable() {
  cudaStreamCaptureStatus none = cudaStreamCaptureStatusNone;
  const cudaError_t status = cudaStreamIsCapturing(cudaStreamLegacy, &none);
  ignore(status);
  return status == cudaSuccess;
}

}  // namespace

void* context_beside_primary(int device) {
  CUcontext context = nullptr;
  if (driver().get(&context) != CUDA_SUCCESS || context == nullptr) return nullptr;
  return is_primary(device, context) ? nullptr : context;
}

void make_context_current(void* context) noexcept { driver().set(static_cast<CUcontext>(context)); }

bool is_of_primary_context(const void* pointer) {
  CUcontext context = nullptr;
  int device = -1;
  return tell_of_pointer(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, pointer) &&
         tell_of_pointer(&context, CU_POINTER_ATTRIBUTE_CONTEXT, pointer) && is_primary(device, context);
}

cudaEvent_t behind_default_stream() {
  return default_stream_is_usable() ? behind(cudaStreamLegacy).release() : nullptr;
}

void follow_by_default_stream(cudaEvent_t event) {
  const OwnEvent taken(event);
  if (event != nullptr && default_stream_is_usable())
    TYPEWARP_CUDA(cudaStreamWaitEvent(cudaStreamLegacy, event));
}

void record(int device, cudaEvent_t event, cudaStream_t stream) {
  const cudaError_t status = cudaEventRecord(event, stream);
  CUcontext of = nullptr;
  if (status != cudaErrorInvalidResourceHandle || is_legacy(stream) ||
      driver().of_stream(stream, &of) != CUDA_SUCCESS || is_primary(device, of)) {
    return check(status, "cudaEventRecord(event, stream)");
  }
  ignore(status);
  if (capturing(stream)) {
    throw InvalidArgument("typewarp::gpu::record", "stream", "of another CUDA context",
                          "must be of the device's primary one while it is captured");
  }
  const OwnStream between(device);  // what it holds by then goes on without it
  const OwnEvent reached = [&] {
    const InContext its_own(of);
    return behind(stream);
  }();
  TYPEWARP_CUDA(cudaStreamWaitEvent(between.get(), reached.get()));
  TYPEWARP_CUDA(cudaEventRecord(event, between.get()));
}

}  // namespace typewarp::gpu
