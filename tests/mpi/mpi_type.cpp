// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/mpi_type.hpp"

namespace typewarp::test {

MpiType::MpiType(MPI_Datatype handle, Commit commit) : handle_(handle) {
  if (commit == Commit::yes) mpi::check(MPI_Type_commit(&handle_), "MPI_Type_commit");
}

MpiType::~MpiType() {
  if (handle_ != MPI_DATATYPE_NULL && !mpi::is_named(handle_)) MPI_Type_free(&handle_);
}

}  // namespace typewarp::test
