// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>

namespace apps {

struct FreeDatatype {
  void operator()(MPI_Datatype* datatype) const {
    MPI_Type_free(datatype);
    delete datatype;
  }
};
using Datatype = std::unique_ptr<MPI_Datatype, FreeDatatype>;

/// What create(MPI_Datatype*) makes, committed.
template <typename Create>
Datatype committed(Create create) {
  Datatype made(new MPI_Datatype(MPI_DATATYPE_NULL));
  create(made.get());
  MPI_Type_commit(made.get());
  return made;
}

}  // namespace apps
