// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
// usage: heat [n [steps]]   (2-D heat equation, n x n cells a rank, in columns of ranks: halos are columns)
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = argc > 1 ? atoi(argv[1]) : 512, steps = argc > 2 ? atoi(argv[2]) : 100, width = n + 2;
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  double* now = calloc((size_t)n * (size_t)width, sizeof(double));
  double* next = calloc((size_t)n * (size_t)width, sizeof(double));
  for (int i = 0; i < n; ++i) now[i * width] = next[i * width] = rank == 0 ? 100.0 : 0.0;
  MPI_Datatype column;
  MPI_Type_vector(n, 1, width, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int step = 0; step < steps; ++step) {
    MPI_Request requests[4];
    MPI_Irecv(now, 1, column, left, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(now + n + 1, 1, column, right, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(now + 1, 1, column, left, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(now + n, 1, column, right, 0, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    if (rank == 0) {
      for (int i = 0; i < n; ++i) now[i * width] = 100.0;
    }
    for (int i = 1; i < n - 1; ++i) {
      for (int j = 1; j <= n; ++j) {
        const double* at = now + i * width + j;
        next[i * width + j] = 0.25 * (at[-1] + at[1] + at[-width] + at[width]);
      }
    }
    double* other = now;
    now = next, next = other;
  }
  double sum = 0, total = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 1; j <= n; ++j) sum += now[i * width + j];
  }
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("heat %.6e\n", total);
  MPI_Type_free(&column);
  free(now);
  free(next);
  MPI_Finalize();
  return 0;
}
