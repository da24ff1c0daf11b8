// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/agree.hpp"

#include <typewarp/mpi.hpp>

#include <array>

namespace typewarp::mpi {

void check_communicator(std::string_view call, std::string_view argument, MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) {
    throw InvalidArgument(call, argument, "MPI_COMM_NULL", "must be a communicator");
  }
  int between_groups = 0;
  check(MPI_Comm_test_inter(comm, &between_groups), "MPI_Comm_test_inter");
  if (between_groups == 0) return;
  throw InvalidArgument(call, argument, "an intercommunicator", "must be an intracommunicator");
}

bool in_all(MPI_Comm comm, bool is_fine) {
  int all_are = is_fine ? 1 : 0;
  check(MPI_Allreduce(MPI_IN_PLACE, &all_are, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  return all_are != 0;
}

RankInComm rank_in(MPI_Comm comm) {
  RankInComm place;
  check(MPI_Comm_rank(comm, &place.rank), "MPI_Comm_rank");
  check(MPI_Comm_size(comm, &place.ranks), "MPI_Comm_size");
  return place;
}

std::optional<std::string> first_problem(MPI_Comm comm, const std::string& problem) {
  const auto [rank, ranks] = rank_in(comm);
  const int own = problem.empty() ? ranks : rank;
  int first = ranks;
  check(MPI_Allreduce(&own, &first, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  if (first == ranks) return std::nullopt;
  std::array<char, 1001> text{};  // no rank may lack memory for it while others wait
  problem.copy(text.data(), text.size() - 1);
  check(MPI_Bcast(text.data(), static_cast<int>(text.size()), MPI_CHAR, first, comm), "MPI_Bcast");
  return "rank " + std::to_string(first) + ": " + text.data();
}

}  // namespace typewarp::mpi
