// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
// Prints what a call takes, in nanoseconds, the least of 20 runs: of MPI_Get_count, which looks at a status
// only, of MPI_Iprobe, and of MPI_Bcast, whose memory is looked at.
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
  MPI_Init(&argc, &argv);
  printf("MPI_Get_count %.1f ns, MPI_Iprobe %.1f ns, MPI_Bcast %.1f ns\n", least(get_count), least(iprobe),
         least(bcast));
  MPI_Finalize();
  return 0;
}
