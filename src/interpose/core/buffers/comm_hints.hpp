// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/hints.hpp>
#include <typewarp/plan.hpp>

#include <mpi.h>

#include <atomic>

/// The hints that a communicator has by the infos that the program gave it. As MPI has it, a duplicate does
/// not take them over.
namespace typewarp::interpose {

/// Those of a communicator; none of MPI_COMM_NULL.
Hints hints_of(MPI_Comm comm) noexcept;
/// Throws MpiError, std::bad_alloc.
void set_hints(MPI_Comm comm, const Hints& hints);

/// Whether any communicator may have some.
inline constinit std::atomic<bool> any_hints{false};

/// The plan with the communicator's hints.
inline Plan hinted(const Plan& plan, MPI_Comm comm) noexcept {
  return any_hints.load(std::memory_order_relaxed) ? plan.with(hints_of(comm)) : plan;
}

}  // namespace typewarp::interpose
