// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

namespace typewarp::interpose {

/// The order in which the MPI must be given the blocks that a nonblocking exchange sends to the neighbours of
/// `comm`, of which there are `sends`, for each to arrive on its side; empty where that is the program's.
/// Throws MpiError.
std::vector<std::size_t> order_of_sends(MPI_Comm comm, std::size_t sends);

}  // namespace typewarp::interpose
