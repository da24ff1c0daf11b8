// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp_mpi.h>

/// Rank 0 sends a number to rank 1.
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double number = rank == 0 ? 3 : 0;
  tw_plan* plan = 0;
  tw_session* session = 0;
  tw_result result = tw_plan_commit(tw_datatype_named(TW_DOUBLE), &plan);
  if (result == TW_SUCCESS) result = tw_session_create(MPI_COMM_WORLD, 0, &session);
  if (result == TW_SUCCESS && rank == 0) result = tw_send(&number, 1, plan, 1, 7, MPI_COMM_WORLD, 0);
  if (result == TW_SUCCESS && rank == 1) result = tw_recv(&number, 1, plan, 0, 7, MPI_COMM_WORLD, 0, 0);
  tw_session_free(session);
  tw_plan_free(plan);
  MPI_Finalize();
  return result == TW_SUCCESS && number == 3 ? 0 : 1;
}
