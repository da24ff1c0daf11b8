// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "datatype/problem.hpp"

#include <mpi.h>

#include <exception>
#include <optional>
#include <string>
#include <string_view>

namespace typewarp::mpi {

/// Throws InvalidArgument for `argument` unless it is an intracommunicator.
void check_communicator(std::string_view call, std::string_view argument, MPI_Comm comm);

/// This rank in a communicator of `ranks`.
struct RankInComm {
  int rank = 0;
  int ranks = 0;
};
/// Throws MpiError.
RankInComm rank_in(MPI_Comm comm);

/// Collective. Whether all ranks are fine. Throws MpiError.
bool in_all(MPI_Comm comm, bool is_fine);

/// Collective. If any rank has a problem, the first thousand letters of what the lowest such rank says, which
/// it begins with: "rank 2: ...". Throws MpiError.
std::optional<std::string> first_problem(MPI_Comm comm, const std::string& problem);

/// The same of what `act` throws, which each rank calls, and which does not communicate.
template <typename Act>
std::optional<std::string> first_failure(MPI_Comm comm, Act act) {
  std::string problem;
  try {
    act();
  } catch (const std::exception& error) {
    problem = problem_of(error);
  }
  return first_problem(comm, problem);
}

}  // namespace typewarp::mpi
