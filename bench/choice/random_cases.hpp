// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "figures/figures.hpp"

namespace typewarp::bench {

/// Random types by seed, so many items of each that they hold about 16 KiB, 512 KiB and 8 MiB.
std::vector<Case> random_cases();

}  // namespace typewarp::bench
