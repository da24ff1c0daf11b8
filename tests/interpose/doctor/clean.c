// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
// usage: clean [n [steps]]   (halos of rows, which lie one after the other, and a sum)
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = argc > 1 ? atoi(argv[1]) : 4096, steps = argc > 2 ? atoi(argv[2]) : 100;
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  double* row = calloc((size_t)n, sizeof(double));
  double* halo = calloc((size_t)n, sizeof(double));
  double total = 0;
  for (int i = 0; i < n; ++i) row[i] = rank + i;
  for (int step = 0; step < steps; ++step) {
    MPI_Sendrecv(row, n, MPI_DOUBLE, (rank + 1) % ranks, 0, halo, n, MPI_DOUBLE, (rank + ranks - 1) % ranks, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += row[i] = 0.5 * (row[i] + halo[i]);
    MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (rank == 0) printf("clean %.6e\n", total);
  free(row);
  free(halo);
  MPI_Finalize();
  return 0;
}
