// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "capi/arguments.hpp"
#include "mpi/agree.hpp"

#include <typewarp/mpi_ranks.h>
#include <typewarp/mpi_ranks.hpp>

tw_result tw_ranks_of_mpi(MPI_Comm comm, tw_ranks** ranks) {
  return typewarp::capi::create(__func__, ranks, [&](const char* call) {
    typewarp::mpi::check_communicator(call, "comm", comm);
    return typewarp::mpi::ranks(comm);
  });
}
