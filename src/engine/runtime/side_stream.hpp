// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/launch_context.hpp"

#include <typewarp/hints.hpp>

namespace typewarp::gpu {

/// A stream of the library, of another priority, for work of a caller's stream: it follows what that stream
/// holds, and what that stream is given later follows it. The host waits for nothing, and both streams may be
/// captured. Each caller's stream has side streams of its own, since what waits in one must not hold up
/// another.
class SideStream {
 public:
  /// Whether work of `stream` would have another priority than wanted. Priority::automatic wants none.
  static bool needed(int device, Stream stream, Priority priority);

  /// The context's device is current. Throws GpuError.
  SideStream(const LaunchContext& context, Priority priority);
  SideStream& operator=(SideStream&&) = delete;
  /// Joins if nobody has.
  ~SideStream();

  /// The same, on the side stream.
  const LaunchContext& context() const noexcept { return context_; }
  /// Makes the caller's stream wait for what was enqueued since.
  void join();

 private:
  struct Lane;
  static Lane& lane_of(int device, Stream stream, int priority);

  LaunchContext context_;
  Stream caller_;
  Lane& lane_;
  bool joined_ = false;
};

}  // namespace typewarp::gpu
