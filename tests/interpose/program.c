// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
// A program as users have them: a ring of messages of a column, over blocking, nonblocking and persistent
// calls. It prints what it received; TYPEWARP_STATS must count 10 MPI_Send a rank and so on, as the test
// says. With the argument "kept" it frees not all datatypes; with "killed" it is killed, more than a second
// after its first messages.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { rows = 6, columns = 4, rounds = 10 };

static long sum(int (*matrix)[columns]) {
  long total = 0;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) total += matrix[i][j] * (i + 3 * j + 1);
  }
  return total;
}

static void fill(int (*matrix)[columns], int rank) {
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) matrix[i][j] = 100 * rank + 10 * i + j;
  }
}

static void ring(int rank, int size, MPI_Datatype column) {
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  int matrix[rows][columns];
  long total = 0;
  for (int round = 0; round < rounds; ++round) {
    MPI_Request request;
    MPI_Status status;
    int received = 0;
    fill(matrix, rank + round);
    MPI_Irecv(&matrix[0][2], 1, column, left, round, MPI_COMM_WORLD, &request);
    MPI_Send(&matrix[0][1], 1, column, right, round, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, column, &received);
    total += sum(matrix) + received;
  }
  printf("rank %d: ring %ld\n", rank, total);
}

static void exchange(int rank, int size, MPI_Datatype column) {
  int* counts = malloc(3 * sizeof(int) * (size_t)size);
  MPI_Datatype* types = malloc(sizeof(MPI_Datatype) * (size_t)size);
  int(*matrix)[columns] = malloc(sizeof(int[rows][columns]) * (size_t)size);
  int(*received)[columns] = calloc((size_t)size, sizeof(int[rows][columns]));
  for (int peer = 0; peer < size; ++peer) {
    counts[peer] = 1;
    counts[size + peer] = (int)sizeof(int[rows][columns]) * peer;
    types[peer] = column;
    fill(matrix + rows * peer, rank + 7 * peer);
  }
  MPI_Alltoallw(matrix, counts, counts + size, types, received, counts, counts + size, types, MPI_COMM_WORLD);
  long total = 0;
  for (int peer = 0; peer < size; ++peer) total += (peer + 1) * sum(received + rows * peer);
  printf("rank %d: exchange %ld\n", rank, total);
  free(received);
  free(matrix);
  free(types);
  free(counts);
}

int main(int argc, char** argv) {
  int provided = 0, rank = 0, size = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Datatype column, copy;
  MPI_Type_vector(rows, 1, columns, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Type_commit(&column);
  MPI_Type_dup(column, &copy);
  MPI_Type_free(&column);
  ring(rank, size, copy);
  if (argc > 1 && strcmp(argv[1], "killed") == 0) {
    sleep(2);
    ring(rank, size, copy);
    raise(SIGKILL);
  }
  exchange(rank, size, copy);
  if (argc == 1) MPI_Type_free(&copy);
  MPI_Finalize();
  return 0;
}
