// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/collectives/call.hpp"

#include <typewarp/exchange.hpp>

#include <vector>

namespace typewarp::interpose {

/// What this rank sends and receives at once.
struct DirectStep {
  std::vector<OutgoingPart> sends;
  std::vector<IncomingPart> receives;
};

/// Of a call that moves data. Throws InvalidArgument of what the MPI must refuse, or has no
/// plan, or lies in several memories; MpiError.
DirectStep step_of(const Call& call, const Participants& ranks);

}  // namespace typewarp::interpose
