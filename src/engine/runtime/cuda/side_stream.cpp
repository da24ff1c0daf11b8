// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/side_stream.hpp"

#include "base/never_destroyed.hpp"
#include "engine/runtime/cuda/context.hpp"
#include "engine/runtime/cuda/launcher.hpp"
#include "engine/runtime/device_resources.hpp"

#include <map>
#include <mutex>
#include <thread>
#include <tuple>

namespace typewarp::gpu {
namespace {

cudaEvent_t new_event() {
  cudaEvent_t event = nullptr;
  TYPEWARP_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  return event;
}

/// Never destroyed, as nothing of a device is. Two events: threads that share a caller's stream may record
/// either again before the other has waited for it, which makes that wait for more of the same stream.
struct Lane {
  explicit Lane(int priority) : fork(new_event()), joined(new_event()) {
    TYPEWARP_CUDA(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, priority));
  }

  /// Makes the caller's stream wait for what was enqueued since.
  void join(Stream caller) const {
    TYPEWARP_CUDA(cudaEventRecord(joined, stream));
    TYPEWARP_CUDA(cudaStreamWaitEvent(caller, joined));
  }

  cudaStream_t stream = nullptr;
  cudaEvent_t fork, joined;
};

Lane& lane_of(int device, Stream stream, int priority) {
  using Key = std::tuple<int, Stream, std::thread::id, int>;
  struct Lanes {
    std::mutex mutex;
    std::map<Key, Lane> of;
  };
  static NeverDestroyed<Lanes> instance;
  Lanes& lanes = instance.get();
  // The default streams of all threads have one handle between them.
  const std::thread::id thread =
      stream == cudaStreamPerThread ? std::this_thread::get_id() : std::thread::id();
  const std::lock_guard lock(lanes.mutex);
  const Key key{device, is_legacy(stream) ? Stream() : stream, thread, priority};
  const auto found = lanes.of.find(key);
  if (found != lanes.of.end()) return found->second;
  const RelaxedCapture relaxed;
  return lanes.of.try_emplace(key, priority).first->second;
}

}  // namespace

bool needs_side_stream(int device, Stream stream, Priority priority) {
  if (priority == Priority::automatic) return false;
  const DeviceGuard guard(device);
  int present = 0;  // of the default streams
  if (!is_legacy(stream)) TYPEWARP_CUDA(cudaStreamGetPriority(stream, &present));
  return present != cuda_priority(priority);
}

void on_side_stream(const LaunchContext& context, Priority priority, const Enqueue& enqueue) {
  const Lane& lane = lane_of(context.device, context.stream, cuda_priority(priority));
  record(context.device, lane.fork, context.stream);
  TYPEWARP_CUDA(cudaStreamWaitEvent(lane.stream, lane.fork));
  LaunchContext beside = context;
  beside.stream = lane.stream;
  try {
    enqueue(beside);
  } catch (...) {
    try {
      lane.join(context.stream);
    } catch (const GpuError&) {  // what made the caller leave is what matters
    }
    throw;
  }
  lane.join(context.stream);
}

}  // namespace typewarp::gpu
