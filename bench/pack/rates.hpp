// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "json.hpp"
#include "memory.hpp"

namespace typewarp::bench {

/// What this machine can do, measured in the same run as the rows that are compared with it. The times of
/// copies are taken on the host's clock, so a launch is subtracted: floors add it again, once.
struct Rates {
  double copy = 0;       ///< bytes read + written a microsecond: cudaMemcpy inside the device, 1 GiB
  double to_host = 0;    ///< bytes a microsecond: device to pinned memory, 64 MiB
  double to_device = 0;  ///< and back
  double launch_us = 0;  ///< an empty kernel, launched and waited for

  JsonObject json() const;
};

Rates measure_rates(Pool& pool, const Queue& queue);

}  // namespace typewarp::bench
