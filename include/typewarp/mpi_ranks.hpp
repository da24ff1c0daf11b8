// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/ranks.hpp>

#include <mpi.h>

namespace typewarp::mpi {

/// The ranks of an intracommunicator. Each Exchange duplicates it, so it may be freed once that is made. A
/// peer of MPI_PROC_NULL is nobody. The MPI sends the parts that cannot go from GPU to GPU.
Ranks ranks(MPI_Comm comm);

}  // namespace typewarp::mpi
