// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
// Threads that make the first MPI call of the process at once: each must get the size of its message right.
// MPI is initialised by PMPI, which goes past the preloaded library.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { threads = 16 };

static pthread_barrier_t barrier;

static void* first_call(void* argument) {
  int* size = argument;
  pthread_barrier_wait(&barrier);
  MPI_Pack_size(5, MPI_DOUBLE, MPI_COMM_WORLD, size);
  return NULL;
}

int main(int argc, char** argv) {
  int provided = 0, good = 0, sizes[threads] = {0};
  pthread_t started[threads];
  PMPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  pthread_barrier_init(&barrier, NULL, threads);
  for (int i = 0; i < threads; ++i) pthread_create(&started[i], NULL, first_call, &sizes[i]);
  for (int i = 0; i < threads; ++i) {
    pthread_join(started[i], NULL);
    good += sizes[i] >= 40;
  }
  printf("%d of %d\n", good, (int)threads);
  MPI_Finalize();
  return good != threads;
}
