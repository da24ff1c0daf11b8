// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hydro/domain.hpp"

#include <mpi.h>

#include <memory>

namespace hydro {

struct FreeDatatype {
  void operator()(MPI_Datatype* datatype) const {
    MPI_Type_free(datatype);
    delete datatype;
  }
};
using Datatype = std::unique_ptr<MPI_Datatype, FreeDatatype>;

/// A strip of all variables in arrays of a layout, where it lies.
inline Datatype datatype_of(const Layout& layout, const Strip& strip) {
  const auto number = [](std::int64_t value) { return static_cast<int>(value); };
  const int whole[] = {variables, number(layout.rows), number(layout.columns)};
  const int part[] = {variables, number(strip.size.rows), number(strip.size.columns)};
  const int start[] = {0, number(strip.start.rows), number(strip.start.columns)};
  Datatype made(new MPI_Datatype(MPI_DATATYPE_NULL));
  MPI_Type_create_subarray(3, whole, part, start, MPI_ORDER_C, MPI_DOUBLE, made.get());
  MPI_Type_commit(made.get());
  return made;
}

}  // namespace hydro
