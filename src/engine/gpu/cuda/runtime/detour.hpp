// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/gpu/launch_context.hpp"

#include <typewarp/hints.hpp>

#include <cuda_runtime_api.h>

namespace typewarp::gpu {

/// A way round for work of a caller's stream: a stream of the library's own, of another priority, which
/// follows what the caller's stream holds, and is followed by what it gets later. The host waits for nothing,
/// and both may be captured. Each caller's stream has ways of its own, since what waits in one must not hold
/// up another.
class Detour {
 public:
  /// Whether work of `stream` would have another priority than wanted. Priority::automatic wants none.
  static bool needed(int device, cudaStream_t stream, Priority priority);

  /// The context's device is current. Throws GpuError.
  Detour(const LaunchContext& context, Priority priority);
  Detour(const Detour&) = delete;
  Detour& operator=(const Detour&) = delete;
  /// Joins if nobody has.
  ~Detour();

  /// The same, on the way round.
  const LaunchContext& context() const noexcept { return context_; }
  /// Makes the caller's stream wait for what was enqueued since.
  void join();

 private:
  struct Lane;
  static Lane& lane_of(int device, cudaStream_t stream, int priority);

  LaunchContext context_;
  Stream caller_;
  Lane& lane_;
  bool joined_ = false;
};

}  // namespace typewarp::gpu
