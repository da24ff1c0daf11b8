// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/request/operation.hpp"

#include <typewarp/request.hpp>

#include <mpi.h>

#include <exception>

/// What the program is told of messages of ours that have ended: statuses of the MPI, and errors.
namespace typewarp::interpose {

/// Fills `status`, unless that is MPI_STATUS_IGNORE. Its field MPI_ERROR is the caller's.
void fill(MPI_Status* status, const Status& from) noexcept;

/// Of a message for which there was too little room, as the MPI tells it: also it has a source and a tag.
Status status_of(const transport::Truncated& error) noexcept;

/// Fills `status` with what `receive` returns, or throws.
template <class Receive>
void fill_by(MPI_Status* status, Receive receive) {
  try {
    fill(status, receive());
  } catch (const transport::Truncated& error) {
    fill(status, status_of(error));
    throw;
  }
}

/// Errors of generalized requests that the MPI has asked for in calls of this thread, also in calls that did
/// not come to this library.
namespace failed_requests {

/// Throws std::bad_alloc.
void add(MPI_Request handle, MPI_Comm comm, const std::exception_ptr& error);
/// Raises that of `handle`, and forgets it. Returns its code; MPI_SUCCESS if there is none.
int take(MPI_Request handle) noexcept;
/// Forgets all: they were of requests that the program has seen complete without us.
void clear() noexcept;

}  // namespace failed_requests

}  // namespace typewarp::interpose
