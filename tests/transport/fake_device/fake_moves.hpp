// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/gpu.hpp"

#include <functional>
#include <optional>
#include <vector>

/// What the fake device (fake_device.hpp) is given to do.
namespace typewarp::test {

/// A side that needs nothing of its caller's.
struct OwnedSide {
  explicit OwnedSide(const gpu::Side& given) : side(given) {
    if (given.plan != nullptr) plan = *given.plan;
  }
  gpu::Side get() const {
    gpu::Side made = side;
    if (plan) made.plan = &*plan;
    return made;
  }

  gpu::Side side;
  std::optional<Plan> plan;
};

struct Move {
  OwnedSide to, from;
  ByteRange range;
};
using Moves = std::vector<Move>;

/// One launch. Throws GpuError if it is to fail.
void enqueue(const Moves& moves, Stream stream);

/// Throws GpuError where a kernel that moves these bytes would reach some only. Others' memory that is mapped
/// here is not known.
void check_reach(const gpu::Side& side, ByteRange range);

/// The hints of the last move of a plan's data.
Hints last_hints();

void enqueue_work(const std::function<void()>& work, Stream stream);

/// While this lives, what the calling thread enqueues is put here instead.
class Recording {
 public:
  Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording();

  Moves moves;
};

}  // namespace typewarp::test
