// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
// usage: overhead [multiple]   at MPI_THREAD_SINGLE, or at MPI_THREAD_MULTIPLE
// Prints what a call takes, in nanoseconds, the least of 20 runs: of MPI_Get_count, which looks at a status
// only, of MPI_Iprobe, of MPI_Bcast, whose memory is looked at, and of MPI_Sendrecv and of MPI_Irecv,
// MPI_Send and MPI_Wait, a third each, with a number from this rank to itself.
#include <mpi.h>
#include <stdio.h>

enum { runs = 20, calls = 100000 };

static void get_count(void) {
  static MPI_Status status;
  int n = 0;
  MPI_Get_count(&status, MPI_BYTE, &n);
}

static void iprobe(void) {
  int found = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
}

static void bcast(void) {
  static char byte;
  MPI_Bcast(&byte, 1, MPI_CHAR, 0, MPI_COMM_SELF);
}

static void sendrecv(void) {
  static int sent, received;
  MPI_Sendrecv(&sent, 1, MPI_INT, 0, 0, &received, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static void message(void) {
  static int sent, received;
  MPI_Request request;
  MPI_Irecv(&received, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
  MPI_Send(&sent, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static double least(void (*call)(void)) {
  double best = 1e9;
  for (int run = 0; run < runs; ++run) {
    const double begin = MPI_Wtime();
    for (int i = 0; i < calls; ++i) call();
    const double time = MPI_Wtime() - begin;
    if (time < best) best = time;
  }
  return 1e9 * best / calls;
}

int main(int argc, char** argv) {
  int level = argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, level, &level);
  printf(
      "MPI_Get_count %.1f ns, MPI_Iprobe %.1f ns, MPI_Bcast %.1f ns, MPI_Sendrecv %.1f ns, MPI_Wait %.1f "
      "ns\n",
      least(get_count), least(iprobe), least(bcast), least(sendrecv), least(message) / 3);
  MPI_Finalize();
  return 0;
}
