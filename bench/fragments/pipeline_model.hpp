// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <numeric>
#include <span>

namespace typewarp::fragments {

/// What a fragment passes: being packed, carried or unpacked. One of `bytes` bytes takes `us(bytes)`.
struct Stage {
  double cost_us;       ///< of each fragment, however short
  double bytes_per_us;  ///< of long ones

  double us(double bytes) const noexcept { return cost_us + bytes / bytes_per_us; }
};

/// Microseconds of a message of `fragments` equal fragments, at least one, that pass stages of `stage_us`
/// each, different fragments at the same time: the first one passes all stages, and then one leaves the
/// slowest stage after the other. Three stages of T(N / n) each take the (n + 2) T(N / n) of 001, section
/// IV-B.
inline double pipelined_us(std::span<const double> stage_us, double fragments) noexcept {
  const double first = std::accumulate(stage_us.begin(), stage_us.end(), 0.0);
  return first + (fragments - 1) * *std::ranges::max_element(stage_us);
}

/// The length in which fragment_length() should count, in bytes: with it the square root of (bytes * scale)
/// is the fragment length that makes pipelined_us() least, where long fragments pass the stage of the least
/// rate slowest. That one sets the pace, so that each fragment costs what it costs there; others add what the
/// first fragment takes in them. Precondition: two stages or more.
inline double fragment_scale(std::span<const Stage> stages) noexcept {
  const Stage& slowest = *std::ranges::min_element(stages, {}, &Stage::bytes_per_us);
  double others = 0;  // microseconds a byte
  for (const Stage& stage : stages) {
    if (&stage != &slowest) others += 1 / stage.bytes_per_us;
  }
  return slowest.cost_us / others;
}

}  // namespace typewarp::fragments
