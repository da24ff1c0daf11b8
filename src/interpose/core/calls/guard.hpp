// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>

/// Calls that we do not improve, and to which an MPI that knows nothing of GPUs must not be given their
/// memory: it would crash in a copy.
namespace typewarp::interpose {

/// Once MPI is initialised. Nothing is refused where the MPI says that it takes memory of GPUs, or
/// TYPEWARP_GUARD=0.
void open_guard() noexcept;

/// Whether the MPI cannot read or write `count` items there. MPI_IN_PLACE is no memory. Where the program
/// uses no GPU this takes some 40 ns at most.
bool refused(const void* buffer, std::int64_t count) noexcept;
/// Whether it is a group of one rank.
bool alone(MPI_Comm comm) noexcept;
/// Raises an error of class MPI_ERR_BUFFER that names the call, and returns its code if the handler returns.
int refuse(int number, MPI_Comm comm) noexcept;

}  // namespace typewarp::interpose
