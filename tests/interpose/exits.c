// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
// One rank gives up without MPI_Finalize, as programs do that meet an error of CUDA. The launcher ends the
// others, if that rank ends.
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank = 0, never = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) exit(3);
  MPI_Recv(&never, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
