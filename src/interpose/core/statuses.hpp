// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/transport.hpp>

#include <mpi.h>

/// The MPI's form of what a message of ours brought.
namespace typewarp::interpose {

/// Fills `status`, unless that is MPI_STATUS_IGNORE. Its field MPI_ERROR is the caller's.
void fill(MPI_Status* status, const Status& from) noexcept;

}  // namespace typewarp::interpose
