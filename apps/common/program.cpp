// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "common/program.hpp"

#include <cstdlib>

namespace apps {

void abort_job(const std::string& program, const std::exception& error, MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::fprintf(stderr, "%s: rank %d: %s\n", program.c_str(), rank, error.what());
  MPI_Abort(comm, failed);
  std::exit(failed);
}

void require_threads(int granted, int asked) {
  if (granted < asked) {
    throw Refusal("needs thread level " + std::to_string(asked) + " (MPI_THREAD_MULTIPLE is " +
                  std::to_string(MPI_THREAD_MULTIPLE) + "), and the MPI grants " + std::to_string(granted));
  }
}

int leave(const Leave& answer, MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0) {
    std::fputs(answer.text.c_str(), answer.exit_code == 0 ? stdout : stderr);
  }
  return answer.exit_code;
}

}  // namespace apps
