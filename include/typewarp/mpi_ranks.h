// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The ranks of a communicator, for exchanges of C programs (mpi_ranks.hpp).

#include <typewarp/ranks.h>

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The ranks of an intracommunicator. Each exchange duplicates it, so it must live until they are made. A
/// peer of MPI_PROC_NULL is nobody. The MPI sends the parts that cannot go from GPU to GPU. The caller frees
/// `*ranks`.
tw_result tw_ranks_of_mpi(MPI_Comm comm, tw_ranks** ranks);

#ifdef __cplusplus
}
#endif
