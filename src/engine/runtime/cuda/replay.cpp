// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/cuda/completion_counter.hpp"
#include "engine/runtime/cuda/context.hpp"
#include "engine/runtime/replay.hpp"
#include "engine/runtime/side_stream.hpp"
#include "engine/runtime/device_resources.hpp"

#include <utility>

namespace typewarp::gpu {
namespace {

struct ReleaseEvent {
  void operator()(PooledEvent* event) const noexcept { device(event->device).release_event(event); }
};

}  // namespace

struct Replay::State {
  State(int id, bool followed) : home(gpu::device(id)), device(id), told(followed), counter(id) {
    if (told) event.reset(home.acquire_event());
  }

  /// What `enqueue` does, with a count at its end where there can be one. An event follows each launch
  /// otherwise: not as a part of the graph, which may still run when the event has another user.
  std::unique_ptr<Graph> record(const Enqueue& enqueue) {
    counts = false;
    return told ? counter.record(enqueue, counts) : LaunchCompletion(device).record(enqueue);
  }
  void use(const Graph& graph) { executable = std::make_unique<Executable>(graph, home.private_stream()); }

  Device& home;
  int device;
  bool told;  ///< whether the host may ask
  CompletionCounter counter;
  std::unique_ptr<Executable> executable;
  bool counts = false;
  std::unique_ptr<PooledEvent, ReleaseEvent> event;
};

Replay::Replay(int device_id, const Enqueue& enqueue, Follow follow) {
  device(device_id).prepare();
  const DeviceGuard guard(device_id);
  state_ = std::make_unique<State>(device_id, follow == Follow::host);
  state_->use(*state_->record(enqueue));
}

Replay::~Replay() = default;

void Replay::replace(const Enqueue& enqueue) {
  State& state = *state_;
  const DeviceGuard guard(state.device);
  const bool counted = state.counts;
  std::unique_ptr<Graph> graph;
  try {
    graph = state.record(enqueue);
    if (state.counts == counted && state.executable->update(*graph)) return;
  } catch (...) {
    state.counts = counted;
    throw;
  }
  // Launches of two executables would not follow each other.
  const bool counts = std::exchange(state.counts, counted);
  wait();
  state.use(*graph);
  state.counts = counts;
}

void Replay::launch(Stream stream, Priority priority) {
  State& state = *state_;
  const DeviceGuard guard(state.device);
  const RelaxedCapture relaxed;
  if (needs_side_stream(state.device, stream, priority)) {
    on_side_stream({state.device, stream}, priority,
                   [&](const LaunchContext& beside) { state.executable->launch(beside.stream); });
  } else {
    state.executable->launch(stream);
  }
  if (state.counts) {
    state.counter.expect();
  } else if (state.told) {
    record(state.device, state.event->handle, stream);
  }
}

bool Replay::done() {
  State& state = *state_;
  if (!state.counter.poll()) return false;
  return state.counts || passed(*state.event);
}

void Replay::wait() {
  while (!done()) pause();
}

}  // namespace typewarp::gpu
