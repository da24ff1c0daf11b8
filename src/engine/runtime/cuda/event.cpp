// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/cuda/completion_counter.hpp"
#include "engine/runtime/cuda/context.hpp"
#include "engine/runtime/event.hpp"
#include "engine/runtime/device_resources.hpp"

namespace typewarp::gpu {
namespace {

PooledEvent* pooled(void* event) { return static_cast<PooledEvent*>(event); }

/// Null while what its last user has launched may still count, and where there is none without an allocation,
/// which may wait for the device.
CompletionCounter* settled_counter(PooledEvent& event) {
  if (event.counter == nullptr) event.counter = CompletionCounter::ready_one(event.device).release();
  return event.counter != nullptr && event.counter->reached() ? event.counter : nullptr;
}

}  // namespace

bool passed(const PooledEvent& event) {
  const RelaxedCapture relaxed;
  return came(cudaEventQuery(event.handle), "cudaEventQuery(event)");
}

Event::Event(int device_id) {
  if (device_id < 0) TYPEWARP_CUDA(cudaGetDevice(&device_id));
  Device& home = device(device_id);
  const DeviceGuard guard(device_id);
  event_ = home.acquire_event();
}

Event::Event(int device_id, Stream stream) : Event(device_id) { record(stream); }

Event::~Event() {
  if (event_ != nullptr) device(pooled(event_)->device).release_event(pooled(event_));
}

void Event::record(Stream stream) {
  const DeviceGuard guard(pooled(event_)->device);
  gpu::record(pooled(event_)->device, pooled(event_)->handle, stream);
  recorded_ = true;
}

void Event::follow(Stream stream, const Enqueue& enqueue) {
  recorded_ = false;
  const int device = pooled(event_)->device;
  CompletionCounter* const counter = settled_counter(*pooled(event_));
  LaunchCompletion completion(device, counter != nullptr ? counter->on_device() : DeviceCounter{});
  const auto conclude = [&] {
    told_ = completion.counted();
    if (told_) counter->expect();
    if (completion.last()) return;
    const DeviceGuard guard(device);
    bool marked = false;
    try {
      marked = counter != nullptr && counter->mark(stream);
    } catch (const GpuError&) {
      marked = false;  // then by CUDA's event
    }
    told_ = told_ || marked;
    if (!marked) record(stream);
  };
  try {
    enqueue({device, stream, OccupancyLimit::none, &completion});
  } catch (...) {
    conclude();
    throw;
  }
  conclude();
}

bool Event::done() const {
  if (told_ && !pooled(event_)->counter->poll()) return false;
  return !recorded_ || passed(*pooled(event_));
}

void Event::wait() const {
  if (recorded_) TYPEWARP_CUDA(cudaEventSynchronize(pooled(event_)->handle));
  while (told_ && !pooled(event_)->counter->poll()) pause();
}

void Event::hold(Stream later) const {
  const DeviceGuard guard(pooled(event_)->device);
  TYPEWARP_CUDA(cudaStreamWaitEvent(later, pooled(event_)->handle));
}

}  // namespace typewarp::gpu
