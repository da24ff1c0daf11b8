// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/cuda/cuda.hpp"
#include "engine/cuda/device.hpp"

namespace typewarp::cuda {
namespace {

PooledEvent* pooled(void* event) { return static_cast<PooledEvent*>(event); }

}  // namespace

Event::Event(int device_id) {
  if (device_id < 0) TYPEWARP_CUDA(cudaGetDevice(&device_id));
  Device& home = device(device_id);
  const DeviceGuard guard(device_id);
  event_ = home.acquire_event();
}

Event::Event(int device_id, Stream stream) : Event(device_id) { record(stream); }

Event::~Event() { device(pooled(event_)->device).release_event(pooled(event_)); }

void Event::record(Stream stream) {
  const DeviceGuard guard(pooled(event_)->device);
  TYPEWARP_CUDA(cudaEventRecord(pooled(event_)->handle, stream));
}

bool Event::done() const {
  const RelaxedCapture relaxed;
  const cudaError_t status = cudaEventQuery(pooled(event_)->handle);
  if (status == cudaErrorNotReady) {
    ignore(status);
    return false;
  }
  check(status, "cudaEventQuery(event)");
  return true;
}

void Event::wait() const { TYPEWARP_CUDA(cudaEventSynchronize(pooled(event_)->handle)); }

}  // namespace typewarp::cuda
