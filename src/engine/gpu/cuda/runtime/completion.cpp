// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/gpu/cuda/runtime/completion.hpp"

#include "engine/gpu/cuda/runtime/device.hpp"

namespace typewarp::gpu {

std::unique_ptr<Graph> Completion::record(const Enqueue& enqueue) {
  const RelaxedCapture relaxed;
  auto recorded = std::make_unique<Graph>();
  graph_ = recorded.get();
  enqueue({device_, nullptr, OccupancyLimit::none, this});
  graph_ = nullptr;
  return recorded;
}

}  // namespace typewarp::gpu
