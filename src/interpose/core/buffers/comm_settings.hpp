// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/engine.hpp>
#include <typewarp/hints.hpp>
#include <typewarp/plan.hpp>

#include <mpi.h>

#include <optional>

/// What the program has set for a communicator by infos. As MPI has it, a duplicate does not take it over.
/// What sets something throws MpiError, std::bad_alloc.
namespace typewarp::interpose {

/// None of MPI_COMM_NULL.
Hints hints_of(MPI_Comm comm) noexcept;
void set_hints(MPI_Comm comm, const Hints& hints);
/// The plan with the communicator's hints.
inline Plan hinted(const Plan& plan, MPI_Comm comm) noexcept {
  const Hints hints = hints_of(comm);
  return hints.empty() ? plan : plan.with(hints);
}

/// Which work on devices a call is ordered with, as MPI calls name no stream: that of name_stream(), or else
/// what the calling thread gave to typewarp_set_stream(). If neither, the legacy default stream of the
/// current device: behind it is what all its blocking streams hold, among them the default streams of
/// threads. What a program enqueues on other, nonblocking streams it must wait for, as with any MPI. Of
/// MPI_COMM_NULL only the thread counts. Always null where no GPU is in use.
Stream stream_of(MPI_Comm comm) noexcept;
void name_stream(MPI_Comm comm, Stream stream);
/// That of name_stream().
std::optional<Stream> stream_named(MPI_Comm comm) noexcept;

}  // namespace typewarp::interpose
