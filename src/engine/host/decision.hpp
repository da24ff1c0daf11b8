// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/plan.hpp>

#include <string>

namespace typewarp::host {

/// How pack() and unpack() would move all bytes of (count, plan) between host memories.
struct HostDecision {
  int threads;       ///< that would take part, unless the caller says otherwise
  std::string walk;  ///< the nodes that kernels were chosen for, outermost first
};

/// Moves nothing. The move must not be empty.
HostDecision decision(const Plan& plan, std::int64_t count);

}  // namespace typewarp::host
