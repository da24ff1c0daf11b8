// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/windows/targets.hpp"

#include <typewarp/mpi.hpp>

#include <array>

namespace typewarp::interpose {

Answers ask(MPI_Comm comm, bool own, int host) {
  std::array said{own ? 1 : 0, host, -host};
  mpi::check(PMPI_Allreduce(MPI_IN_PLACE, said.data(), static_cast<int>(said.size()), MPI_INT, MPI_MAX, comm),
             "MPI_Allreduce");
  return {said[0] != 0, said[1] == -said[2]};
}

void fail(int error_class, const std::string& description) {
  throw MpiError("typewarp", error_class, error_class, description, false);
}

}  // namespace typewarp::interpose
