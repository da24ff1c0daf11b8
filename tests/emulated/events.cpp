// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "streams.hpp"

#include <atomic>
#include <chrono>
#include <mutex>

using namespace emulated;

namespace {

using Time = std::chrono::steady_clock::time_point;

}  // namespace

/// Recorded in streams of its own context alone.
struct CUevent_st {
  CUctx_st* context;
  std::mutex mutex = {};
  Point point = {};
  std::shared_ptr<Capture> capture = nullptr;
  std::shared_ptr<std::atomic<Time>> time = owned_unseen(new std::atomic<Time>);

  Point recorded() {
    const Lock lock(mutex);
    return point;
  }
};

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  return call([&] { *event = new CUevent_st{.context = of_thread().context}; });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  return call([&] {
    require(passed(begin->recorded()) && passed(end->recorded()), cudaErrorNotReady);
    *milliseconds = std::chrono::duration<float, std::milli>(end->time->load() - begin->time->load()).count();
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return call([&] { delete event; });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return call([&] {
    require(context_of(stream) == event->context, cudaErrorInvalidResourceHandle);
    const auto note = [time = event->time] { time->store(std::chrono::steady_clock::now()); };
    const Point point = is_captured(stream) ? Point{} : submit(stream, note);
    const Lock lock(event->mutex);
    event->point = point;
    event->capture = capture_of(stream);
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return call([&] {
    Point point;
    {
      const Lock lock(event->mutex);
      if (join(stream, event->capture)) return;
      point = event->point;
    }
    submit(stream, Nodes{}, {point});
  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return call([&] {
    forbid_while_captured();
    require(passed(event->recorded()), cudaErrorNotReady);
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return call([&] {
    forbid_while_captured();
    wait_for(event->recorded());
  });
}
