// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
// usage: thread_sites   (four threads exchange columns with themselves, from one place)
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { threads = 4, rounds = 250, n = 64 };

static MPI_Datatype column;

static void* work(void* number) {
  double sent[2 * n] = {0}, received[2 * n] = {0};
  const int tag = *(int*)number;
  for (int i = 0; i < rounds; ++i) {
    MPI_Request requests[2];
    MPI_Irecv(received, 1, column, 0, tag, MPI_COMM_SELF, &requests[0]);
    MPI_Isend(sent, 1, column, 0, tag, MPI_COMM_SELF, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int level, numbers[threads];
  pthread_t thread[threads];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  if (level < MPI_THREAD_MULTIPLE) return 1;
  MPI_Type_vector(n, 1, 2, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int i = 0; i < threads; ++i) numbers[i] = i, pthread_create(&thread[i], NULL, work, &numbers[i]);
  for (int i = 0; i < threads; ++i) pthread_join(thread[i], NULL);
  MPI_Type_free(&column);
  puts("threads have ended");
  MPI_Finalize();
  return 0;
}
