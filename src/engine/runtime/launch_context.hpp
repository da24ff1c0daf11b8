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
  /// About as many as fill a link between devices. Packing faster gains nothing while others read earlier
  /// data over the link, and takes memory bandwidth from them and multiprocessors from other kernels.
  link,
};

/// Tracks when launched work is complete; each runtime defines it.
class LaunchCompletion;

/// Where work goes, and who is told when it is complete.
struct LaunchContext {
  int device;               ///< that executes
  Stream stream = nullptr;  ///< one of its streams or a default stream
  OccupancyLimit occupancy = OccupancyLimit::none;
  LaunchCompletion* completion = nullptr;  ///< null if nobody follows it
  /// Of its kernels, where they are not recorded into a graph; automatic: that of the stream.
  Priority priority = Priority::automatic;
};
/// Enqueues work, all of it under the context that it is given.
using Enqueue = std::function<void(const LaunchContext&)>;

/// Kernels that this process has launched, except those of Replay.
std::uint64_t launches() noexcept;

}  // namespace typewarp::gpu
