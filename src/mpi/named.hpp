// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/datatype.hpp>

#include <mpi.h>

#include <optional>
#include <string>

namespace typewarp::mpi {

/// The MPI's handle of a named type; MPI_DATATYPE_NULL where this MPI does not have that (optional) type.
MPI_Datatype handle(Named named);

/// The named type that a predefined handle stands for, if it is one of those in `Named`. Where several
/// names share one handle (MPI_C_COMPLEX), the first.
std::optional<Named> named(MPI_Datatype handle);

/// What the MPI or the program has named a datatype, for errors. Throws MpiError.
std::string name_of(MPI_Datatype datatype);

}  // namespace typewarp::mpi
