// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "workloads.hpp"

namespace typewarp::bench {

/// An empty message and one of 8 contiguous bytes: what a call costs.
std::vector<NamedWorkload> overhead_cases();
std::vector<NamedWorkload> figure4_cases();

}  // namespace typewarp::bench
