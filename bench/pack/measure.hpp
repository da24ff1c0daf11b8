// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

/// Times on the host's clock.
namespace typewarp::bench {

struct Sample {
  double median_us = 0, p10_us = 0, p90_us = 0;
};

/// When to stop repeating.
struct Effort {
  int least = 20;           ///< repetitions, unless `most_us` passes first
  int least_when_slow = 3;  ///< repetitions in any case
  double enough_us = 2000;  ///< measured time that is worth stopping at
  double most_us = 30000;
  double hopeless_us = 1e6;  ///< a first call that takes longer is the only one
};
/// For what is recorded to show an order of magnitude.
inline constexpr Effort small_effort{10, 2, 1000, 8000, 20000};

/// Repeats `operation`, which returns when its work is done. One call before is not timed.
Sample measure(const std::function<void()>& operation, const Effort& effort = {});

}  // namespace typewarp::bench
