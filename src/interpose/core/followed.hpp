// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/transport.hpp>

#include <mpi.h>

#include <functional>

/// Messages after which something is left to do before the program may know of their end.
namespace typewarp::interpose {

/// A request that is complete when `message` is and `act` has been called with its status, once, by whoever
/// moves it on. What `act` throws is the request's error; where the message fails it is not called.
Request followed(Request message, MPI_Comm comm, std::function<void(const Status&)> act);
/// The same of a request of the MPI's: a nonblocking one, or a persistent one that was started, which stays.
Request followed(MPI_Request request, MPI_Comm comm, std::function<void(const Status&)> act);

}  // namespace typewarp::interpose
