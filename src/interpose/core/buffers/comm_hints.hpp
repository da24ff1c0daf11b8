// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/hints.hpp>
#include <typewarp/plan.hpp>

#include <mpi.h>

/// The hints that a communicator has by the infos that the program gave it. As MPI has it, a duplicate does
/// not take them over.
namespace typewarp::interpose {

/// Those of a communicator; none of MPI_COMM_NULL.
Hints hints_of(MPI_Comm comm) noexcept;
/// Throws MpiError, std::bad_alloc.
void set_hints(MPI_Comm comm, const Hints& hints);

/// The plan with the communicator's hints.
inline Plan hinted(const Plan& plan, MPI_Comm comm) noexcept {
  const Hints hints = hints_of(comm);
  return hints.empty() ? plan : plan.with(hints);
}

}  // namespace typewarp::interpose
