// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/collectives/call.hpp"

namespace typewarp::interpose {

/// Makes a collective call by the first path that takes it, of those that it may take (collective_code.py);
/// by the MPI if none does. All ranks find the same one. Returns the call's code.
int make(Call& call) noexcept;
/// The same of an observed call, which the doctor leaves to the MPI.
int make_observed(Call& call) noexcept;

}  // namespace typewarp::interpose
