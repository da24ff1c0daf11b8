// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/launch_context.hpp"

#include <memory>

namespace typewarp::gpu {

/// Work of one device that is recorded once and launched many times. Launches follow each other on whatever
/// streams they are. May be destroyed while one is in flight, which waits for nothing; what the work uses
/// must live on as for work that was launched without this. Not for several threads at once.
class Replay {
 public:
  /// Whether the host may ask done() and wait(), which costs a kernel or an event in each launch.
  enum class Follow { host, nobody };

  /// Records what `enqueue` enqueues for `device`, which is current meanwhile. Nothing runs yet.
  Replay(int device, const Enqueue& enqueue, Follow follow = Follow::host);
  Replay& operator=(Replay&&) = delete;
  ~Replay();

  /// Records anew, for later launches; waits for those in flight if the work has another shape, for instance
  /// DMA instead of a kernel. Changes nothing if it throws.
  void replace(const Enqueue& enqueue);

  /// Allocates nothing and waits for nothing, except at the first launch with a priority other than that of
  /// `stream`. A default stream is that of the device. Throws GpuError.
  void launch(Stream stream, Priority priority = Priority::automatic);

  /// Whether all launches are done, and the host sees what they wrote. Throws GpuError for what failed.
  /// Precondition, as of wait(): Follow::host.
  bool done();
  /// Spins until done().
  void wait();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace typewarp::gpu
