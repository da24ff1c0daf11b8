// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Threads that make the first MPI call of the process at once: one with arguments in every register and on the stack. Each
// sends to itself. MPI is initialised by PMPI, which goes past the preloaded library.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { threads = 16 };

static pthread_barrier_t barrier;

struct exchange {
  double sent[2];
  int received[6];
  int tag, good;
};

static void* first_call(void* argument) {
  struct exchange* mine = argument;
  MPI_Status status;
  pthread_barrier_wait(&barrier);
  const int code = MPI_Sendrecv(mine->sent, 2, MPI_DOUBLE, 0, mine->tag, mine->received, 5, MPI_INT, 0, mine->tag,
                                MPI_COMM_SELF, &status);
  const int* bits = (const int*)mine->sent;
  mine->good = code == MPI_SUCCESS && status.MPI_SOURCE == 0 && status.MPI_TAG == mine->tag && mine->received[4] == -1;
  for (int i = 0; i < 4; ++i) mine->good &= mine->received[i] == bits[i];
  return NULL;
}

int main(int argc, char** argv) {
  int provided = 0, good = 0;
  pthread_t started[threads];
  struct exchange exchanges[threads];
  PMPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  pthread_barrier_init(&barrier, NULL, threads);
  for (int i = 0; i < threads; ++i) {
    exchanges[i] = (struct exchange){.sent = {1.25 + i, -0.5 * i}, .received = {-1, -1, -1, -1, -1, -1}, .tag = 100 + i};
    pthread_create(&started[i], NULL, first_call, &exchanges[i]);
  }
  for (int i = 0; i < threads; ++i) {
    pthread_join(started[i], NULL);
    good += exchanges[i].good;
  }
  printf("%d of %d, %d\n", good, (int)threads, provided == MPI_THREAD_MULTIPLE);
  MPI_Finalize();
  return good != threads;
}
