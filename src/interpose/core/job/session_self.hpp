// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

/// What stands in for MPI_COMM_SELF in a program that opens sessions only: a communicator of a session of our
/// own.
namespace typewarp::interpose {

/// MPI_COMM_NULL where the MPI has no sessions or cannot. `rank`: set to that in mpi://WORLD. Not thread
/// safe.
MPI_Comm open_session_self(int& rank) noexcept;
/// Before the last session of the program ends. All that was made of the communicator must have been freed.
void close_session_self() noexcept;

}  // namespace typewarp::interpose
