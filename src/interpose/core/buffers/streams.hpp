// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/engine.hpp>

#include <mpi.h>

#include <optional>

/// Which work on devices an MPI call is ordered with, as MPI calls name no stream.
namespace typewarp::interpose {

/// That of the communicator, if the info key typewarp_stream has named one; or else what the calling thread
/// gave to typewarp_set_stream(). If neither, the legacy default stream of the current device: behind it is
/// what all its blocking streams hold, among them the default streams of threads. What a program enqueues on
/// other, nonblocking streams it must wait for, as with any MPI. `comm` may be
/// MPI_COMM_NULL, where only the thread counts. Always null where no GPU is in use.
Stream stream_of(MPI_Comm comm) noexcept;

/// Has the communicator's messages ordered with that one. Throws MpiError, std::bad_alloc.
void name_stream(MPI_Comm comm, Stream stream);
/// That of name_stream().
std::optional<Stream> stream_named(MPI_Comm comm) noexcept;

}  // namespace typewarp::interpose
