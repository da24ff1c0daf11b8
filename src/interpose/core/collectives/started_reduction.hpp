// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/collectives/reduction_lane.hpp"
#include "interpose/core/collectives/reduction_steps.hpp"

#include <typewarp/request.hpp>

#include <memory>

namespace typewarp::interpose {

/// A reduction that does not block: its steps, moved on by whoever tests its request or the progress thread.
/// It takes part whatever memory it has: what the engine cannot combine where it lies is brought to memory of
/// the host. The request ends with the first failure of this rank, or with an Error where another rank
/// failed, of which all tell each other at the end; others wait for a rank that can send nothing any more.
/// `call.comm` may be freed meanwhile, and the program's stream ended.
Request start_reduction(const ReductionCall& call, const Ranks& ranks, std::shared_ptr<ReductionLane> lane,
                        Stream stream);

}  // namespace typewarp::interpose
