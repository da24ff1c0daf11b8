// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
// usage: transpose [n [times]]   (of an n x n matrix of complex numbers in slabs of rows, as a 2-D FFT does it)
#include <complex.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int asked = argc > 1 ? atoi(argv[1]) : 512, times = argc > 2 ? atoi(argv[2]) : 20;
  const int rows = asked / ranks, n = rows * ranks;
  double complex* a = malloc(sizeof(double complex) * (size_t)rows * (size_t)n);
  double complex* b = malloc(sizeof(double complex) * (size_t)rows * (size_t)n);
  for (int i = 0; i < rows * n; ++i) a[i] = rank * rows * n + i;
  int* counts = malloc(sizeof(int) * (size_t)ranks);
  int* send_at = malloc(sizeof(int) * (size_t)ranks);
  int* receive_at = malloc(sizeof(int) * (size_t)ranks);
  MPI_Datatype* sent = malloc(sizeof(MPI_Datatype) * (size_t)ranks);
  MPI_Datatype* received = malloc(sizeof(MPI_Datatype) * (size_t)ranks);
  MPI_Datatype block, column, columns;
  // A block of rows x rows goes to each rank, which takes it column by column.
  MPI_Type_vector(rows, rows, n, MPI_C_DOUBLE_COMPLEX, &block);
  MPI_Type_vector(rows, 1, n, MPI_C_DOUBLE_COMPLEX, &column);
  MPI_Type_create_hvector(rows, 1, sizeof(double complex), column, &columns);
  MPI_Type_commit(&block);
  MPI_Type_commit(&columns);
  MPI_Type_free(&column);
  for (int i = 0; i < ranks; ++i) {
    counts[i] = 1;
    send_at[i] = receive_at[i] = i * rows * (int)sizeof(double complex);
    sent[i] = block;
    received[i] = columns;
  }
  for (int time = 0; time < times; ++time) {
    MPI_Alltoallw(a, counts, send_at, sent, b, counts, receive_at, received, MPI_COMM_WORLD);
    double complex* other = a;
    a = b, b = other;
  }
  double sum = 0, total = 0;
  for (int i = 0; i < rows * n; ++i) sum += (i % 7) * creal(a[i]);
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("transpose %.6e\n", total);
  MPI_Type_free(&block);
  MPI_Type_free(&columns);
  MPI_Finalize();
  return 0;
}
