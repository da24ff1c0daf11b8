// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Datatypes of the MPI, for C programs (mpi.hpp).

#include <typewarp/datatype.h>

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Reads a datatype of the MPI, committed or not, which may be freed afterwards. The caller frees
/// `*datatype`.
tw_result tw_mpi_decode(MPI_Datatype from, tw_datatype** datatype);
/// Builds the same datatype in the MPI, uncommitted. The caller frees `*to` with MPI_Type_free, unless
/// tw_mpi_is_named() says that it is one of the MPI's own.
tw_result tw_mpi_encode(const tw_datatype* datatype, MPI_Datatype* to);
/// Whether it is one of the MPI's own, which must not be freed.
tw_result tw_mpi_is_named(MPI_Datatype datatype, int* named);

#ifdef __cplusplus
}
#endif
