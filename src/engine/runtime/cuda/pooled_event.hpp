// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/cuda/check.hpp"

namespace typewarp::gpu {

class CompletionCounter;

/// A CUDA event that is reused, and a link of the list that it waits in meanwhile.
struct PooledEvent {
  cudaEvent_t handle;
  int device;
  PooledEvent* next;
  CompletionCounter* counter;  ///< of its own and never destroyed; null before it is first used
};
/// Whether it has come. Throws GpuError for what failed before it.
bool passed(const PooledEvent& event);

}  // namespace typewarp::gpu
