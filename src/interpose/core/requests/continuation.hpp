// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/buffers/moves.hpp"
#include "interpose/core/requests/turns.hpp"

#include <typewarp/request.hpp>

#include <mpi.h>

#include <functional>

/// Messages after which something is left to do before the program may know of their end.
namespace typewarp::interpose {

/// What is done with a message that has come: moves, for which nobody waits in there.
using Act = std::function<void(const Status&, Moves&)>;

/// A request that is complete when `message`, an active one, is, `act` has been called with its status, once,
/// by whoever moves it on, and all of its moves are done. What `act` throws is the request's error; where the
/// message fails it is not called. It is kept, with what it holds, until the message is over, also where the
/// request is given up before. Where this throws, the message is still the caller's.
Request continued(Request&& message, MPI_Comm comm, Act act);
/// The same of a request of the MPI's: a nonblocking one, or a persistent one that was started, which stays.
/// `has_status`: whether its status tells what came, as those of collective calls do not.
Request continued(MPI_Request request, MPI_Comm comm, Act act, bool has_status = false);
/// The same of a request that `make` makes: here, or, if it may be put off, when `turn` is the next, by
/// whoever moves it on. The MPI is not asked for it before that. What `make` throws is thrown here, or is the
/// request's error.
Request continued_in_turn(std::function<MPI_Request()> make, bool may_be_put_off, Turn turn, MPI_Comm comm,
                          Act act);
/// One that is complete, with so many bytes.
Request completed(MPI_Comm comm, std::int64_t bytes);

}  // namespace typewarp::interpose
