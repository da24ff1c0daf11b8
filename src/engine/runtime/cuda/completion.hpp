// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/launch_context.hpp"
#include "engine/runtime/device_resources.hpp"
#include "engine/runtime/enqueue.hpp"
#include "engine/runtime/cuda/graph.hpp"

#include <cstddef>
#include <memory>

namespace typewarp::gpu {

/// Counts what is launched under a LaunchContext, and knows whether a kernel counts its own completion. The
/// first kernel on the device that can count does; another device may not reach the counter.
class LaunchCompletion {
 public:
  explicit LaunchCompletion(int device, DeviceCounter counter = {}) noexcept
      : device_(device), counter_(counter) {}
  LaunchCompletion& operator=(LaunchCompletion&&) = delete;

  /// The counter, for a kernel that is launched on `device` next; a null one if there is none.
  DeviceCounter take(int device) noexcept {
    if (counting_ > 0 || device_ != device || counter_.reached == nullptr) return {};
    counting_ = launches_ + 1;
    return counter_;
  }
  void launched() noexcept { ++launches_; }

  /// Whether something that counts has been launched, and whether it was the last.
  bool counted() const noexcept { return counting_ > 0 && launches_ >= counting_; }
  bool last() const noexcept { return counting_ > 0 && counting_ == launches_; }

  /// Calls `enqueue`, and makes nodes of a graph of what it launches, which then does not run.
  std::unique_ptr<Graph> record(const Enqueue& enqueue) {
    const RelaxedCapture relaxed;
    auto recorded = std::make_unique<Graph>();
    graph_ = recorded.get();
    enqueue({device_, nullptr, OccupancyLimit::none, this});
    graph_ = nullptr;
    return recorded;
  }
  /// The graph that is recorded; null if there is none.
  Graph* graph() const noexcept { return graph_; }

 private:
  int device_;
  DeviceCounter counter_;
  Graph* graph_ = nullptr;
  std::size_t launches_ = 0;
  std::size_t counting_ = 0;  ///< number of the launch that took the counter, from 1 on
};

}  // namespace typewarp::gpu
