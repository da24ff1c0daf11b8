// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/agree.hpp"

#include <typewarp/mpi.hpp>

namespace typewarp::mpi {

bool in_all(MPI_Comm comm, bool is_fine) {
  int all_are = is_fine ? 1 : 0;
  check(MPI_Allreduce(MPI_IN_PLACE, &all_are, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  return all_are != 0;
}

std::optional<std::string> first_problem(MPI_Comm comm, const std::string& problem) {
  int rank = 0;
  int ranks = 1;
  check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  check(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  const int own = problem.empty() ? ranks : rank;
  int first = ranks;
  check(MPI_Allreduce(&own, &first, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  if (first == ranks) return std::nullopt;
  auto length = static_cast<int>(problem.size());
  check(MPI_Bcast(&length, 1, MPI_INT, first, comm), "MPI_Bcast");
  std::string text = problem;
  text.resize(static_cast<std::size_t>(length));
  check(MPI_Bcast(text.data(), length, MPI_CHAR, first, comm), "MPI_Bcast");
  return "rank " + std::to_string(first) + ": " + text;
}

}  // namespace typewarp::mpi
