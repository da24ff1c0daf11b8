// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

namespace typewarp::interpose {

/// Writes to stderr what was counted: of each rank, or, with TYPEWARP_STATS=merged, of all together, by rank
/// 0. The latter is collective over `world`: all ranks must have this library and the setting; where it is
/// MPI_COMM_NULL each rank tells its own. While MPI is initialised; nothing where statistics are not asked
/// for.
void report_statistics(int rank, MPI_Comm world) noexcept;

}  // namespace typewarp::interpose
