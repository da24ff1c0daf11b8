// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/cuda/graph.hpp"

#include <typewarp/hints.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>

namespace typewarp::gpu {

/// Launches kernels as executable graphs of one node, whose parameters are set anew each time: the host
/// learns 1 to 2 us sooner that the kernel is done (H200; bench/pack, figures latency and dev). Launches of
/// one executable graph run one after the other, so each stream has its own, as long as there are not too
/// many. They run at the priority of the stream; a kernel with another priority is launched plainly, with the
/// priority as an attribute. Thread safe: launches on different streams do not wait for each other. Of one
/// device, which must be current; never destroyed, as its Device.
class Launcher {
 public:
  /// Executable graphs at a time.
  static constexpr std::size_t capacity = 128;
  /// One is given to another kernel or stream after so many launches through others.
  static constexpr std::uint64_t idle_launches = 4096;

  Launcher();

  /// Throws GpuError if the launch fails.
  void launch(const cudaKernelNodeParams& kernel, cudaStream_t stream, Priority priority);

 private:
  /// An executable graph, and whose launches go through it.
  struct Slot {
    std::mutex launching;
    // What follows is guarded by the launcher's mutex.
    cudaStream_t stream = nullptr;
    const void* kernel = nullptr;  ///< null while nobody has the slot
    int users = 0;                 ///< launches that are under way
    std::uint64_t last_use = 0;
    // What follows is guarded by `launching`.
    std::unique_ptr<Graph> graph;
    std::unique_ptr<Executable> executable;
  };
  /// Holds the slot of a kernel on a stream for one launch; none if all are taken.
  class Use;

  bool enabled_;
  std::mutex mutex_;
  std::uint64_t launches_ = 0;
  std::array<Slot, capacity> slots_{};
};

/// Of streams of the current device.
int highest_priority();
/// What CUDA calls a priority there: that of usual streams, 0, is the lowest that it has.
int cuda_priority(Priority priority);

/// Whether kernels on the current device can wait by themselves for what they follow, and so be launched
/// before that ends: a matter of the code that the device has been given.
bool kernels_can_wait();

}  // namespace typewarp::gpu
