// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "way.hpp"

/// Where the time of an exchange goes.
namespace typewarp::halo_bench {

/// Microseconds: medians, of the rank that takes longer.
struct Phases {
  double pack = 0, wire = 0, unpack = 0;
};

/// Waits for the stream after each phase, and lets both ranks begin each at once, so that together they take
/// longer than an exchange, which is `exchange_us` long. Repeats for about so many seconds.
Phases measure_phases(const Subject& subject, const Way& way, double exchange_us, double seconds);

/// Microseconds: medians of rank 0, and nothing in the other one.
struct PhasesAlone {
  double pack = 0, unpack = 0;
};

/// As measure_phases(), but while rank 0 packs, or unpacks, the other one waits and its device is idle. Only
/// in device memory.
PhasesAlone measure_phases_alone(const Subject& subject, const Way& way, double exchange_us, double seconds);

}  // namespace typewarp::halo_bench
