// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/datatype.hpp>

#include <mpi.h>

namespace typewarp::mpi {

/// Reads a datatype of the MPI back into a value, through MPI_Type_get_envelope and MPI_Type_get_contents, or
/// their `_c` variants if the MPI has them (types made by `_c` constructors need those). Every handle that
/// the MPI returns on the way is freed. If the MPI's bounds differ from the algebra's (struct padding is the
/// implementation's choice), the MPI's count. The handle needs no commit and may be freed afterwards. Throws
/// InvalidArgument for MPI_DATATYPE_NULL and for a combiner that has no counterpart here, MpiError if a call
/// fails.
Datatype decode(MPI_Datatype datatype);

/// Builds the same datatype with the MPI's own constructors, uncommitted, with intermediate handles freed.
/// The caller frees it; named types are returned as they are, and must not be freed (`is_named`). Uses the
/// `_c` constructors if the MPI has them; otherwise throws InvalidArgument for an argument that exceeds the
/// int of MPI's interface.
MPI_Datatype encode(const Datatype& datatype);
/// Whether it is one of the MPI's own, which must not be freed.
bool is_named(MPI_Datatype datatype);

/// Throws MpiError if `code` is not MPI_SUCCESS; `call` is the name of the call that returned it.
void check(int code, const char* call);

}  // namespace typewarp::mpi
