// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/mpi/posted.hpp"

#include <typewarp/mpi.hpp>

namespace typewarp::transport {

Posted::~Posted() {
  if (!active()) return;
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0) MPI_Request_free(&handle_);
}

bool Posted::finish(bool block, MPI_Status* status) {
  if (!active()) return true;
  int done = 1;
  const int code = block ? MPI_Wait(&handle_, status) : MPI_Test(&handle_, &done, status);
  if (code != MPI_SUCCESS) {
    // Some MPIs free a request that failed, others leave that to the caller.
    if (active()) MPI_Request_free(&handle_);
    mpi::check(code, block ? "MPI_Wait" : "MPI_Test");
  }
  return done != 0;
}

void Posted::cancel() {
  if (active()) mpi::check(MPI_Cancel(&handle_), "MPI_Cancel");
}

bool is_cancelled(const MPI_Status& status) {
  int cancelled = 0;
  mpi::check(MPI_Test_cancelled(&status, &cancelled), "MPI_Test_cancelled");
  return cancelled != 0;
}

}  // namespace typewarp::transport
