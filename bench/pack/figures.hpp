// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench.hpp"

/// The figures, each of which is a list of cases (docs/measuring.md says what they show).
namespace typewarp::bench {

/// One of every kind in a few seconds: the table that kernels are tuned by.
std::vector<Case> dev_cases();

}  // namespace typewarp::bench
