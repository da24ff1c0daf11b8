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

MPI_Datatype named_without_counterpart() {
#if defined(MPI_REAL2)
  return MPI_REAL2;
#elif defined(MPI_2COMPLEX)
  return MPI_2COMPLEX;
#else
  return MPI_DATATYPE_NULL;
#endif
}

}  // namespace typewarp::test
