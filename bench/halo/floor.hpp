// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "agenda.hpp"

/// The least time that memory, link and launches allow: see docs/internals/measuring.md.
namespace typewarp::halo_bench {

/// Of a machine, measured in the same run. Bytes a microsecond, and microseconds.
struct Limits {
  double copy = 0;   ///< within a device, read + written
  double peer = 0;   ///< from one rank's device to the other's
  double parts = 0;  ///< sectors a microsecond that are written in part
  double launch_us = 0;
};

/// Of so many bytes, or sectors, whose time contains a launch: floors add it again, once.
double rate_of(std::int64_t amount, double us, double launch_us);

/// Of each of so many ranks that use one device at the same time.
Limits shared(const Limits& limits, int ranks);

/// Microseconds.
struct Floors {
  double pack = 0, wire = 0, unpack = 0;
  double exchange = 0;
};

/// `packed` bytes go to all neighbours, `sent` of them to other ranks.
Floors floors_of(const Case& which, std::int64_t packed, std::int64_t sent, const Limits& limits);

/// Sectors of 32 bytes, in all arrays, that hold cells of a halo and others besides: unpacking writes a part
/// of each.
std::int64_t partial_sectors(const Case& which);

}  // namespace typewarp::halo_bench
