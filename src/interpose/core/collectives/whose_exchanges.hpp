// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/job/job.hpp"

#include <mpi.h>

#include <optional>

namespace typewarp::interpose {

/// As everyone_of(), for an exchange that blocks; nothing also where no rank had memory that may be ours when
/// they last asked each other: then the MPI has the whole call, at its own price. The same in all ranks.
///
/// They ask in the first of these exchanges on `comm`, the 2nd, 4th, 8th and so on, and in each 64th, until
/// one says yes. So a rank that begins to use a GPU gives the MPI copies in at most 63 of them. Each rank
/// calls this once in each of them, as asking is collective. Throws MpiError.
std::optional<Everyone> everyone_asked(MPI_Comm comm, bool may_be_ours);

}  // namespace typewarp::interpose
