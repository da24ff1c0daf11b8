// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/mpi.h>

#include "capi/arguments.hpp"

#include <typewarp/mpi.hpp>

using namespace typewarp;
using namespace typewarp::capi;

tw_result tw_mpi_decode(MPI_Datatype from, tw_datatype** datatype) {
  return create(__func__, datatype, [&](const char* call) {
    try {
      return mpi::decode(from);
    } catch (const InvalidArgument& error) {
      throw renamed(error, call, "from");
    }
  });
}

tw_result tw_mpi_encode(const tw_datatype* datatype, MPI_Datatype* to) {
  return guarded(__func__, [&](const char* call) {
    const Datatype& made = value_of(call, datatype);
    require(to, call, "to");
    *to = mpi::encode(made);
  });
}

tw_result tw_mpi_is_named(MPI_Datatype datatype, int* named) {
  return guarded(__func__, [&](const char* call) {
    if (datatype == MPI_DATATYPE_NULL) {
      throw InvalidArgument(call, "datatype", "MPI_DATATYPE_NULL", "must be a datatype");
    }
    require(named, call, "named");
    *named = mpi::is_named(datatype) ? 1 : 0;
  });
}
