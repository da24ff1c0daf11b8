// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "work.hpp"

/// How little time two things at once could take.
namespace typewarp::contention {

/// What the machine moves, in bytes a microsecond.
struct Limits {
  double memory = 0;  ///< read and written, by a copy within the device
  double to_host = 0, to_device = 0;
};

/// Microseconds of both at once: neither is faster than alone, and memory and link pass what both move.
double bound_us(double application_alone_us, double move_alone_us, const Demand& both, const Limits& limits);

}  // namespace typewarp::contention
