// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace typewarp::interpose {

/// Writes to stderr what was counted: of each rank, or, with TYPEWARP_STATS=merged, of all together, by rank
/// 0. The latter is collective over MPI_COMM_WORLD: all ranks must have this library and the setting. While
/// MPI is initialised; nothing where statistics are not asked for.
void report_statistics() noexcept;

}  // namespace typewarp::interpose
