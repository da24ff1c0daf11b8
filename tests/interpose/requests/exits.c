// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
// One rank gives up without MPI_Finalize, as programs do that meet an error of CUDA, while others wait for
// its message and for it in a collective call. The launcher ends them, if that rank ends.
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  enum { bytes = 1 << 20, most_ranks = 4 };
  static char sent[most_ranks * bytes], received[most_ranks * bytes];
  int rank = 0, never = 0;
  MPI_Request requests[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) exit(3);
  MPI_Irecv(&never, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Ialltoall(sent, bytes, MPI_CHAR, received, bytes, MPI_CHAR, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Finalize();
  return 0;
}
