// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Windows of host memory, of all ranks and of each alone, in a program that asks for MPI_THREAD_FUNNELED. Says
// whether they were there and right.
#include <mpi.h>
#include <stdio.h>

static int made(MPI_Comm comm) {
  int rank, size, sent, memory[4] = {-1, -1, -1, -1};
  MPI_Win window;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  if (MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, comm, &window) != MPI_SUCCESS) return 0;
  sent = 10 + rank;
  MPI_Win_fence(0, window);
  MPI_Put(&sent, 1, MPI_INT, (rank + 1) % size, 2, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
  return memory[2] == 10 + (rank + size - 1) % size;
}

int main(int argc, char** argv) {
  int provided, of_all, alone;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  of_all = made(MPI_COMM_WORLD);
  alone = made(MPI_COMM_SELF);
  printf("windows: %s\n", of_all && alone ? "all are right" : "not all are there");
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
