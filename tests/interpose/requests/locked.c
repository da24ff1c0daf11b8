// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Threads that each send columns to themselves, and complete them by calls that do not wait.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { threads = 4, rounds = 300, blocks = 500 };

static MPI_Datatype column;

struct thread {
  pthread_t id;
  int tag, wrong;
};

static void* exchange(void* argument) {
  struct thread* mine = argument;
  int sent[2 * blocks], received[2 * blocks];
  for (int round = 0; round < rounds; ++round) {
    MPI_Request requests[2];
    for (int i = 0; i < 2 * blocks; ++i) sent[i] = mine->tag + round + i, received[i] = -1;
    MPI_Irecv(received, 1, column, 0, mine->tag, MPI_COMM_SELF, &requests[0]);
    MPI_Isend(sent, 1, column, 0, mine->tag, MPI_COMM_SELF, &requests[1]);
    for (int done = 0; !done;) MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 2 * blocks; ++i) mine->wrong += received[i] != (i % 2 == 0 ? sent[i] : -1);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int provided = 0, wrong = 0;
  struct thread all[threads];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Type_vector(blocks, 1, 2, MPI_INT, &column);
  MPI_Type_commit(&column);
  for (int i = 0; i < threads; ++i) {
    all[i] = (struct thread){.tag = 1000 * i};
    pthread_create(&all[i].id, NULL, exchange, &all[i]);
  }
  for (int i = 0; i < threads; ++i) {
    pthread_join(all[i].id, NULL);
    wrong += all[i].wrong;
  }
  MPI_Type_free(&column);
  MPI_Finalize();
  if (wrong == 0 && provided == MPI_THREAD_MULTIPLE) printf("all is right\n");
  return wrong != 0;
}
