// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/collectives/function_ref.hpp"
#include "interpose/core/collectives/group.hpp"

#include <mpi.h>

#include <cstdint>
#include <optional>

/// Collective calls that give a request. Nobody may wait there for what other ranks have, so the rank that
/// comes to a call first chooses the way of all (job/choice_log.hpp).
namespace typewarp::interpose {

/// Where a call moves data to.
enum class Reach : std::uint8_t { one_rank, all_ranks };

/// Whether a call on `comm`, whose ranks all have this library, goes by messages of ours; the same in all of
/// them. Each calls this once in each of these calls, in one order. `has_ours()`: whether memory of this rank
/// in the call is ours, nothing if it has none there.
///
/// Ranks of one host choose for each call. On MPI_COMM_WORLD they do from the first call on. On another
/// communicator the first one takes memory for the choices, and calls are the MPI's until all ranks have
/// heard where it is: that is in the call after an MPI_Iallgather has ended that the first call starts.
/// Between hosts nobody chooses: calls are ours, those to all ranks among `most_that_start` ranks. Throws
/// MpiError, std::bad_alloc.
bool is_started_by_us(MPI_Comm comm, const Ranks& ranks, Reach reach,
                      FunctionRef<std::optional<bool>()> has_ours);

}  // namespace typewarp::interpose
