// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
// usage: io [file [n [times]]]   (writes and reads a matrix of n columns a rank, dealt out by columns, through views)
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const char* path = argc > 1 ? argv[1] : "io.data";
  const int n = argc > 2 ? atoi(argv[2]) : 256, times = argc > 3 ? atoi(argv[3]) : 10, width = n + 2;
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  double* cells = calloc((size_t)width * (size_t)width, sizeof(double));
  double* read = calloc((size_t)width * (size_t)width, sizeof(double));
  for (int i = 0; i < width * width; ++i) cells[i] = rank + 0.001 * i;
  const int memory[] = {width, width}, own[] = {n, n}, halo[] = {1, 1};
  const int all[] = {n, n * ranks}, mine[] = {0, n * rank};
  MPI_Datatype inner, view;
  MPI_Type_create_subarray(2, memory, own, halo, MPI_ORDER_C, MPI_DOUBLE, &inner);
  MPI_Type_create_subarray(2, all, own, mine, MPI_ORDER_C, MPI_DOUBLE, &view);
  MPI_Type_commit(&inner);
  MPI_Type_commit(&view);
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  MPI_File_set_view(file, 0, MPI_DOUBLE, view, "native", MPI_INFO_NULL);
  for (int time = 0; time < times; ++time) {
    MPI_File_write_at_all(file, 0, cells, 1, inner, MPI_STATUS_IGNORE);
    MPI_File_read_at(file, 0, read, 1, inner, MPI_STATUS_IGNORE);
  }
  double sum = 0, total = 0;
  for (int i = 0; i < width * width; ++i) sum += read[i];
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("io %.6e\n", total);
  MPI_File_close(&file);
  MPI_Type_free(&inner);
  MPI_Type_free(&view);
  free(cells);
  free(read);
  MPI_Finalize();
  return 0;
}
