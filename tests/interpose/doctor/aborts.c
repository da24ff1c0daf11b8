// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
// usage: aborts   (rank 1 is killed after ten messages of columns)
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>

enum { n = 1000, messages = 10 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double* cells = calloc(2 * n, sizeof(double));
  MPI_Datatype column;
  MPI_Type_vector(n, 1, 2, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int i = 0; i < messages; ++i) {
    if (rank == 0) MPI_Ssend(cells, 1, column, 1, i, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(cells, 1, column, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);  // the last send has come back
  if (rank == 1) raise(SIGKILL);
  MPI_Recv(cells, 1, column, 1, messages, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
