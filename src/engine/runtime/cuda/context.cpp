// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/cuda/context.hpp"

#include "engine/runtime/cuda/driver.hpp"
#include "engine/runtime/device_resources.hpp"

#include <mutex>

namespace typewarp::gpu {
namespace {

struct Driver {
  PFN_cuCtxGetCurrent_v4000 get = driver_entry<PFN_cuCtxGetCurrent_v4000>("cuCtxGetCurrent", 4000);
  PFN_cuCtxSetCurrent_v4000 set = driver_entry<PFN_cuCtxSetCurrent_v4000>("cuCtxSetCurrent", 4000);
  PFN_cuDevicePrimaryCtxRetain_v7000 retain =
      driver_entry<PFN_cuDevicePrimaryCtxRetain_v7000>("cuDevicePrimaryCtxRetain", 7000);
};

const Driver& driver() {
  static const Driver found;
  return found;
}

/// Retained when it is first asked for, until the process ends.
class PrimaryContext {
 public:
  explicit PrimaryContext(int device) : device_(device) {}
  CUcontext get() {
    std::call_once(retained_, [this] {
      if (driver().retain(&context_, device_) != CUDA_SUCCESS) context_ = nullptr;
    });
    return context_;
  }

 private:
  int device_;
  std::once_flag retained_;
  CUcontext context_ = nullptr;
};

}  // namespace

void* context_beside_primary(int device) {
  CUcontext context = nullptr;
  if (driver().get(&context) != CUDA_SUCCESS || context == nullptr) return nullptr;
  return context == kept<PrimaryContext>(device).get() ? nullptr : context;
}

void make_context_current(void* context) noexcept { driver().set(static_cast<CUcontext>(context)); }

}  // namespace typewarp::gpu
