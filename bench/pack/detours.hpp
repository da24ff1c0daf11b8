// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transfer.hpp"

namespace typewarp::bench {

/// What the problem's Detour says, from the device to the host; each has been verified.
std::vector<Mover> detours(Bench& bench, const Transfer& transfer);

}  // namespace typewarp::bench
