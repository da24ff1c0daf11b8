// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/engine.hpp>
#include <typewarp/hints.hpp>

#include <cstdint>
#include <functional>

namespace typewarp::gpu {

/// How many thread blocks of a move a device runs at a time.
enum class OccupancyLimit : std::uint8_t {
  none,
  /// About what a link between devices takes. To pack faster than that, while others read over the link what
  /// was packed before, keeps them from the memory, and other kernels from the multiprocessors, for nothing.
  link,
};

/// Who follows what is launched: the engine's own.
class Completion;

/// Where work goes, and who follows it.
struct LaunchContext {
  int device;               ///< that executes
  Stream stream = nullptr;  ///< one of its streams or a default stream
  OccupancyLimit occupancy = OccupancyLimit::none;
  Completion* completion = nullptr;  ///< null if nobody follows it
  /// Of its kernels, where they are not recorded into a graph; automatic: that of the stream.
  Priority priority = Priority::automatic;
};
/// What enqueues work, all of it under the context that it is given.
using Enqueue = std::function<void(const LaunchContext&)>;

/// Kernels that this process has launched, but for those of Replay.
std::uint64_t launches() noexcept;

}  // namespace typewarp::gpu
