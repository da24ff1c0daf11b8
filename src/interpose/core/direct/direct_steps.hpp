// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/collectives/call.hpp"

#include <typewarp/exchange.hpp>

#include <optional>
#include <vector>

namespace typewarp::interpose {

/// What this rank sends and receives at once.
struct DirectStep {
  std::vector<OutgoingPart> sends;
  std::vector<IncomingPart> receives;
};

/// All of a call that moves data, in one step. Throws InvalidArgument of what the MPI must refuse, or has no
/// plan, or lies in several memories; MpiError.
DirectStep step_of(const Call& call, const Participants& ranks);

/// A long broadcast among more than two ranks in steps, the same number in all of them: in a step the root
/// sends each of the others a share of a piece, while these send on to each other what they have of the piece
/// before. So all links are busy, and not only the root's. Nothing where this rank cannot cut its data where
/// shares end.
std::optional<std::vector<DirectStep>> broadcast_steps(const Call& call, const Participants& ranks);
/// Whether they take less time than one step. The same in all ranks.
bool broadcast_steps_pay(std::int64_t bytes, const Participants& ranks) noexcept;

}  // namespace typewarp::interpose
