// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/memory.hpp"
#include "common/stopwatch.hpp"
#include "stencil2d/phases.hpp"

namespace stencil2d {

/// Tells the time since its last lap to a phase, and to a side of it.
class SideWatch {
 public:
  /// Both must stay.
  SideWatch(PhaseTimes& times, const apps::OwnedStream& stream) : times_(times), stream_(stream) {}

  void lap(Phase phase) { times_[phase] += watch_.lap(); }
  /// By side, waits for the copies that were enqueued.
  void copied(Phase phase, Side side) {
    if (!times_.by_side()) return;
    stream_.synchronize();
    add(phase, times_.copies(side));
  }
  void messages(Phase phase, Side side) { add(phase, times_.messages(side)); }

 private:
  void add(Phase phase, double& of_side) {
    const double seconds = watch_.lap();
    times_[phase] += seconds;
    of_side += seconds;
  }

  PhaseTimes& times_;
  const apps::OwnedStream& stream_;
  apps::Stopwatch watch_;
};

}  // namespace stencil2d
