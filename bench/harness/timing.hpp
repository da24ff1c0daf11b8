// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "peers.hpp"

#include <functional>

/// Round trips between two ranks, on the clock of both hosts.
namespace typewarp::harness {

/// One message, each way. Each returns when the message is complete on this rank.
struct Way {
  std::function<void()> send, receive;

  void round(int rank) const;
};

/// Microseconds of half a round trip. The interval holds the true median with 95 % confidence, by order
/// statistics, as far as the samples are independent.
struct Sample {
  double median = 0, low = 0, high = 0;
  double p10 = 0, p90 = 0;
  double median_of_peer = 0;  ///< on the other rank's clock
  int samples = 0;
  int rounds = 0;  ///< of each sample: many where one is too short for the clock

  /// With all times multiplied: of a round that is no half of anything, by 2.
  Sample times(double factor) const;
};

/// Repeats `round`, which both ranks take part in, for about so long. Returns the same in both.
Sample measure(const Peers& peers, const std::function<void()>& round, double seconds);

}  // namespace typewarp::harness
