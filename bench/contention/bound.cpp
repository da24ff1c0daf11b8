// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bound.hpp"

#include <algorithm>

namespace typewarp::contention {

double bound_us(double application_alone_us, double move_alone_us, const Demand& both, const Limits& limits) {
  return std::max({application_alone_us, move_alone_us, both.memory / limits.memory,
                   both.to_host / limits.to_host, both.to_device / limits.to_device});
}

}  // namespace typewarp::contention
