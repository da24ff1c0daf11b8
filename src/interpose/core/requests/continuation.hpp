// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/buffers/moves.hpp"
#include "interpose/core/function_ref.hpp"
#include "interpose/core/requests/turns.hpp"

#include <typewarp/request.hpp>

#include <mpi.h>

#include <functional>

/// Messages after whose end something is left to do, before the program may know of it.
namespace typewarp::interpose {

/// What is done when a message has come: it starts moves, and does not wait for them.
using Act = std::function<void(const Status&, Moves&)>;

/// A request that is complete when a message is complete, `act` has been called with its status, and the
/// moves of `act` are done. `begin()` starts the message when nothing else can fail any more, and gives an
/// active request; what it throws is thrown here. Whoever makes progress calls `act`, once, and not if the
/// message fails. What `act` throws is the request's error. It is kept, with what it holds, until the message
/// is over, even if the request is given up before.
Request continued(FunctionRef<Request()> begin, MPI_Comm comm, Act act);
/// The same for a request of the MPI's that `make()` makes: a nonblocking one, or a persistent one that it
/// starts, which is not freed. `has_status`: whether its status says what came; that of a collective call
/// does not.
Request continued(FunctionRef<MPI_Request()> make, MPI_Comm comm, Act act, bool has_status = false);
/// The same for one that is made here or, if it is put off, when `turn` is the next, by whoever makes
/// progress. The request is not tested before its turn. What `make` throws is thrown here, or is the
/// request's error.
Request continued_in_turn(std::function<MPI_Request()> make, bool is_put_off, Turn turn, MPI_Comm comm,
                          Act act);
/// A request that is complete, with so many bytes.
Request completed(MPI_Comm comm, std::int64_t bytes);

}  // namespace typewarp::interpose
