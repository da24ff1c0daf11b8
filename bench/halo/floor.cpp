// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "floor.hpp"

#include "halo.hpp"
#include "segments.hpp"

#include <algorithm>

namespace typewarp::halo_bench {
namespace {

/// Bytes of memory that hold any cell that is sent, or received, of one array.
double touched(const Case& which, bench::HaloSide side) {
  const Datatype cells = bench::halo_of_fields(bench::halo_regions(which.edge, which.width, side), 1, 0);
  return static_cast<double>(bench::segment_bytes * bench::touched_segments(normalise(cells), 0));
}

}  // namespace

double rate_of(std::int64_t bytes, double us, double launch_us) {
  return static_cast<double>(bytes) / (us - launch_us);
}

Limits shared(const Limits& limits, int ranks) {
  return {limits.copy / ranks, limits.peer / ranks, limits.launch_us};
}

Floors floors_of(const Case& which, std::int64_t packed, std::int64_t sent, const Limits& limits) {
  const auto fields = static_cast<double>(which.fields);
  const double read_us = fields * touched(which, bench::HaloSide::sent) / limits.copy;
  const double written_us = fields * touched(which, bench::HaloSide::received) / limits.copy;
  const double packed_us = static_cast<double>(packed) / limits.copy;
  const double sent_us = static_cast<double>(sent) / limits.peer;
  return {read_us + packed_us + limits.launch_us, sent_us, written_us + packed_us + limits.launch_us,
          std::max(read_us + written_us, sent_us) + limits.launch_us};
}

}  // namespace typewarp::halo_bench
