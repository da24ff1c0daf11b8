// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>

/// MPI 4 gave every call with an int count a twin named `_c` that counts in MPI_Count. Those who have the
/// twins (MPICH from 4.0) say MPI_VERSION >= 4; Open MPI up to 5 says 3 and has none.
namespace typewarp::mpi {

#if MPI_VERSION >= 4
inline constexpr bool has_large_counts = true;
using Count = MPI_Count;         ///< what counts and block lengths are passed as
using Displacement = MPI_Count;  ///< what byte displacements are passed as
#define TYPEWARP_MPI_LARGE(call) call##_c
#else
inline constexpr bool has_large_counts = false;
using Count = int;
using Displacement = MPI_Aint;
#define TYPEWARP_MPI_LARGE(call) call
#endif

struct TypeBounds {
  std::int64_t lb, extent;
};

/// MPI_Type_get_extent, MPI_Type_get_true_extent and MPI_Type_size in 64 bits. Throw MpiError.
TypeBounds bounds(MPI_Datatype datatype);
TypeBounds true_bounds(MPI_Datatype datatype);
std::int64_t size(MPI_Datatype datatype);

}  // namespace typewarp::mpi
