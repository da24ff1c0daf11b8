// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Collective calls in which MPICH's ranks wait for each other for ever, or abort, if their thread levels
// differ.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  enum { rounds = 200 };
  double number = 0;
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < rounds; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Bcast(&number, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }
  if (rank == 0) fputs("all have met\n", stderr);  // where the library warns: in order
  MPI_Finalize();
  return 0;
}
