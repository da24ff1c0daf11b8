// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A program whose MPI calls are all made for it by a library, but one, which it makes itself and which stays the MPI's.
#include <mpi.h>
#include <stdio.h>

void layer_init(int* code);
void layer_sendrecv(void* sent, void* received, const int* count, const int* right, const int* left, int* code);
void layer_left(int* code);
void layer_finalize(int* code);

int main(void) {
  int code = 0, rank = 0, size = 0, received = -1, mine = -1;
  const int one = 1;
  layer_init(&code);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  layer_sendrecv(&rank, &received, &one, &right, &left, &code);
  layer_left(&code);
  PMPI_Bcast(&size, 1, MPI_INT, 0, MPI_COMM_WORLD);
  PMPI_Send(&rank, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  mine = rank;
  layer_finalize(&code);
  printf("rank %d received %d: %d\n", mine, received, code);
  return received != left;
}
