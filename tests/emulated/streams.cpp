// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "streams.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

namespace emulated {

struct Capture {
  CUgraph_st graph;
  cudaStreamCaptureMode mode;
  std::thread::id thread;
  bool spoiled = false;
};

struct Task {
  Nodes nodes;
  std::vector<Point> after;
  /// Stored when it is given and when it has been done: by this, and by no lock, streams are in order.
  std::atomic<bool> done{false};
};

}  // namespace emulated

/// Work that is done by a thread of its own, which begins with the first. Guarded by the one mutex of all.
struct CUstream_st {
  CUctx_st* context;
  int device;
  unsigned flags;
  int priority = 0;
  std::deque<emulated::Point> work;
  emulated::Point last;
  std::shared_ptr<emulated::Capture> capture;
  bool has_thread = false, destroyed = false;
  std::condition_variable more;
};

namespace emulated {
namespace {

using Owner = std::shared_ptr<CUstream_st>;

/// Never destroyed: threads of streams go on to the end.
struct Streams {
  std::mutex mutex;
  std::condition_variable progress;
  std::map<cudaStream_t, Owner> all;
  std::map<CUctx_st*, Owner> legacy;
  std::set<std::shared_ptr<Capture>> captures;
};
Streams& streams() {
  static Streams& one = *new Streams;
  return one;
}

/// In the calling thread's context.
Owner make(unsigned flags, int priority = 0) {
  auto made = std::make_shared<CUstream_st>();
  made->context = of_thread().context;
  made->device = made->context->device;
  made->flags = flags;
  made->priority = priority;
  streams().all[made.get()] = made;
  return made;
}

Owner of_context(std::map<CUctx_st*, Owner>& streams) {
  Owner& found = streams[of_thread().context];
  if (!found) found = make(0);
  return found;
}

/// Precondition of this and what follows: the lock.
Owner find(cudaStream_t stream) {
  thread_local std::map<CUctx_st*, Owner> own;
  if (is_legacy(stream)) return of_context(streams().legacy);
  if (stream == cudaStreamPerThread) return of_context(own);
  const auto found = streams().all.find(stream);
  require(found != streams().all.end() && !found->second->destroyed && !found->second->context->destroyed,
          cudaErrorInvalidResourceHandle);
  return found->second;
}

}  // namespace

bool passed(const Point& point) { return !point || point->done.load(std::memory_order_acquire); }

namespace {

void wait(Lock& lock, const Point& point) {
  streams().progress.wait(lock, [&] { return passed(point); });
}

/// Without the lock.
void drop(Nodes& nodes) {
  const Unseen unseen;
  nodes.clear();
}

/// The thread of a stream.
void work_on(const Owner& stream) {
  Lock lock(streams().mutex);
  for (;;) {
    stream->more.wait(lock, [&] { return !stream->work.empty() || stream->destroyed; });
    if (stream->work.empty()) break;
    const Point task = std::move(stream->work.front());
    stream->work.pop_front();
    const std::vector<Point> after = std::move(task->after);
    for (const Point& point : after) wait(lock, point);
    Nodes nodes = std::move(task->nodes);
    lock.unlock();
    passed(task);  // it was given
    for (const Point& point : after) passed(point);
    for (const auto& node : nodes) node->work();
    drop(nodes);
    task->done.store(true, std::memory_order_release);
    lock.lock();
    streams().progress.notify_all();
  }
  streams().all.erase(stream.get());
}

/// The default stream waits for all others of its context, and they for it.
void add_default_order(const Owner& stream, std::vector<Point>& after) {
  if ((stream->flags & cudaStreamNonBlocking) != 0) return;
  Owner& legacy = streams().legacy[stream->context];
  if (stream != legacy) {
    if (legacy) after.push_back(legacy->last);
    return;
  }
  for (const auto& [handle, other] : streams().all) {
    if (other->context == stream->context && other != stream && (other->flags & cudaStreamNonBlocking) == 0)
      after.push_back(other->last);
  }
}

/// A capture of a stream that the default stream, if this is it, would wait for.
std::shared_ptr<Capture> implied_capture(const Owner& stream) {
  if (stream != streams().legacy[stream->context]) return nullptr;
  for (const auto& [handle, other] : streams().all)
    if (other->context == stream->context && (other->flags & cudaStreamNonBlocking) == 0 && other->capture)
      return other->capture;
  return nullptr;
}

}  // namespace

Point submit(cudaStream_t handle, Nodes nodes, std::vector<Point> after) {
  const Point task = owned_unseen(new Task);
  task->nodes = std::move(nodes);
  task->done.store(false, std::memory_order_release);
  Lock lock(streams().mutex);
  const Owner stream = find(handle);
  if (stream->capture) {
    require(!stream->capture->spoiled, cudaErrorStreamCaptureInvalidated);
    std::ranges::move(task->nodes, std::back_inserter(stream->capture->graph.nodes));
    return {};
  }
  if (const auto capture = implied_capture(stream)) {
    capture->spoiled = true;
    throw Failure{cudaErrorStreamCaptureImplicit};
  }
  add_default_order(stream, after);
  task->after = std::move(after);
  stream->work.push_back(task);
  stream->last = task;
  const bool is_first = !std::exchange(stream->has_thread, true);
  stream->more.notify_one();
  lock.unlock();
  if (is_first) std::thread([stream] { work_on(stream); }).detach();
  return task;
}

void wait_for(const Point& point) {
  Lock lock(streams().mutex);
  wait(lock, point);
  lock.unlock();
  passed(point);
}

void wait_for_device(int device) {
  std::vector<Point> points;
  {
    const Lock lock(streams().mutex);
    for (const auto& [handle, stream] : streams().all) {
      if (stream->device == device) points.push_back(stream->last);
    }
  }
  for (const Point& point : points) wait_for(point);
}

void forbid_while_captured() {
  if (of_thread().capture_mode == cudaStreamCaptureModeRelaxed) return;
  const Lock lock(streams().mutex);
  for (const auto& capture : streams().captures) {
    if (capture->mode == cudaStreamCaptureModeRelaxed) continue;
    if (capture->mode == cudaStreamCaptureModeThreadLocal && capture->thread != std::this_thread::get_id())
      continue;
    capture->spoiled = true;
    throw Failure{cudaErrorStreamCaptureUnsupported};
  }
}

CUctx_st* context_of(cudaStream_t stream) {
  const Lock lock(streams().mutex);
  return find(stream)->context;
}

std::shared_ptr<Capture> capture_of(cudaStream_t stream) {
  const Lock lock(streams().mutex);
  return find(stream)->capture;
}

bool join(cudaStream_t stream, const std::shared_ptr<Capture>& capture) {
  const Lock lock(streams().mutex);
  if (!streams().captures.contains(capture)) return false;
  find(stream)->capture = capture;
  return true;
}

bool is_captured(cudaStream_t stream) {
  const Lock lock(streams().mutex);
  return find(stream)->capture != nullptr;
}

namespace {

/// Where a stream is now, to be waited for: a captured one never comes there.
Point to_wait_for(cudaStream_t stream) {
  forbid_while_captured();
  const Lock lock(streams().mutex);
  const Owner found = find(stream);
  if (!found->capture) return found->last;
  found->capture->spoiled = true;
  throw Failure{cudaErrorStreamCaptureUnsupported};
}

}  // namespace
}  // namespace emulated

using namespace emulated;

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return call([&] {
    const Lock lock(streams().mutex);
    *stream = make(flags, priority).get();
  });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return call([&] {
    const Lock lock(streams().mutex);
    const Owner found = find(stream);
    found->destroyed = true;
    if (!found->has_thread) streams().all.erase(stream);
    found->more.notify_one();
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return call([&] { wait_for(to_wait_for(stream)); });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return call([&] {
    forbid_while_captured();
    require(passed(to_wait_for(stream)), cudaErrorNotReady);
  });
}

cudaError_t cudaDeviceSynchronize() {
  return call([] {
    forbid_while_captured();
    wait_for_device(of_thread().device);
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return call([&] {
    const Lock lock(streams().mutex);
    *flags = find(stream)->flags;
  });
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return call([&] {
    const Lock lock(streams().mutex);
    *priority = find(stream)->priority;
  });
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return call([&] {
    const Lock lock(streams().mutex);
    *device = find(stream)->device;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return call([&] {
    const Lock lock(streams().mutex);
    const Owner found = find(stream);
    require(!implied_capture(found), cudaErrorStreamCaptureImplicit);
    const auto& capture = found->capture;
    *status = !capture           ? cudaStreamCaptureStatusNone
              : capture->spoiled ? cudaStreamCaptureStatusInvalidated
                                 : cudaStreamCaptureStatusActive;
  });
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return call([&] {
    require(!is_legacy(stream), cudaErrorStreamCaptureUnsupported);
    const Lock lock(streams().mutex);
    auto& capture = find(stream)->capture;
    require(!capture);
    capture = std::make_shared<Capture>();
    capture->mode = mode;
    capture->thread = std::this_thread::get_id();
    streams().captures.insert(capture);
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return call([&] {
    const Lock lock(streams().mutex);
    const auto capture = find(stream)->capture;
    require(capture != nullptr);
    for (const auto& [handle, other] : streams().all) {
      if (other->capture == capture) other->capture = nullptr;
    }
    streams().captures.erase(capture);
    *graph = nullptr;
    require(!capture->spoiled, cudaErrorStreamCaptureInvalidated);
    *graph = new CUgraph_st(std::move(capture->graph));
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return ask([&] { std::swap(of_thread().capture_mode, *mode); });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return call([&] { submit(stream, [=] { function(data); }); });
}
