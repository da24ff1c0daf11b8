// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "floor.hpp"

#include "halo.hpp"

#include <typewarp/layout.hpp>

#include <algorithm>

namespace typewarp::halo_bench {
namespace {

/// Bytes of memory that hold any cell that is sent, or received, of one array.
double touched(const Case& which, bench::HaloSide side) {
  const Datatype cells = bench::halo_of_fields(bench::halo_regions(which.edge, which.width, side), 1, 0);
  return static_cast<double>(segment_bytes * touched_segments(normalise(cells), 0));
}

}  // namespace

double rate_of(std::int64_t amount, double us, double launch_us) {
  return static_cast<double>(amount) / (us - launch_us);
}

Limits shared(const Limits& limits, int ranks) {
  return {limits.copy / ranks, limits.peer / ranks, limits.parts / ranks, limits.launch_us};
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

// Where a row of owned cells begins and where it ends there is a halo on the other side.
std::int64_t partial_sectors(const Case& which) {
  constexpr std::int64_t cells = 4;  // of a sector
  const std::int64_t length = which.edge + 2 * which.width;
  std::int64_t count = 0;
  std::int64_t last = -1;
  const auto look_at = [&](std::int64_t boundary) {
    if (boundary % cells == 0 || boundary / cells == last) return;
    last = boundary / cells;
    ++count;
  };
  for (std::int64_t i = which.width; i < which.width + which.edge; ++i) {
    for (std::int64_t j = which.width; j < which.width + which.edge; ++j) {
      const std::int64_t begin = (i * length + j) * length + which.width;
      look_at(begin);
      look_at(begin + which.edge);
    }
  }
  return count * which.fields;
}

}  // namespace typewarp::halo_bench
