// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace typewarp::mpi {

/// Whether the MPI is Open MPI, where what it does beyond the standard's words must be known. Others are
/// MPICH and its kin. May be called before MPI_Init.
bool is_open_mpi() noexcept;

}  // namespace typewarp::mpi
