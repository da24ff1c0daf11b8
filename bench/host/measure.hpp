// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

/// Fair timing of several ways to do one thing.
namespace typewarp::bench {

/// One way. With more than one thread, the process may run on all its cores while it is timed, else on one.
struct Contestant {
  std::string name;
  int threads;
  std::function<void()> call;
};

struct Timing {
  std::string name;
  double median_us;
  double spread;  ///< distance of the quartiles over the median
};

struct Effort {
  double batch_us = 200;  ///< a batch repeats the call for about that long
  int batches = 15;       ///< each contestant's; they take turns
  int core = -1;          ///< where calls of one thread run; -1: wherever the system puts them
};

/// Contestants take turns, one short batch each, so that whatever else the machine does meets all of them
/// alike. Throws std::system_error if the system does not let this process run on the core. Before each
/// batch, one call that is not timed brings caches into the state in which the batch keeps them.
std::vector<Timing> measure(const std::vector<Contestant>& contestants, const Effort& effort);

}  // namespace typewarp::bench
