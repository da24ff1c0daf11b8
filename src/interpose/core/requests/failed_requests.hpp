// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <exception>

/// Errors of generalized requests that the MPI has asked for in calls of this thread, also in calls that did
/// not come to this library.
namespace typewarp::interpose::failed_requests {

/// Throws std::bad_alloc.
void add(MPI_Request handle, MPI_Comm comm, const std::exception_ptr& error);
/// Raises that of `handle`, and forgets it. Returns its code; MPI_SUCCESS if there is none.
int take(MPI_Request handle) noexcept;
/// Forgets all: they were of requests that the program has seen complete without us.
void clear() noexcept;

}  // namespace typewarp::interpose::failed_requests
