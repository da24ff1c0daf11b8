// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
// usage: overhead [multiple]   at MPI_THREAD_SINGLE, or at MPI_THREAD_MULTIPLE
// Prints what a call takes, in nanoseconds, the least of 20 runs: of MPI_Get_count, which looks at a status
// only, of MPI_Iprobe, of MPI_Bcast, whose memory is looked at, of MPI_Alltoallv and MPI_Alltoallw, whose
// blocks are, of MPI_Sendrecv and of MPI_Irecv, MPI_Send and MPI_Wait, a third each, with a number from this
// rank to itself, and of each of the calls that exchange as many numbers as a cell has neighbours, completed
// by one MPI_Waitall or by one MPI_Waitany a request.
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { runs = 20, calls = 20000, neighbors = 26, requests = 2 * neighbors };

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

static void alltoallv(void) {
  static const int one = 1, place = 0;
  static double sent, received;
  MPI_Alltoallv(&sent, &one, &place, MPI_DOUBLE, &received, &one, &place, MPI_DOUBLE, MPI_COMM_SELF);
}

static void alltoallw(void) {
  static const int one = 1, place = 0;
  static double sent[16], received[16];
  static MPI_Datatype every_other = MPI_DATATYPE_NULL;
  if (every_other == MPI_DATATYPE_NULL) {
    MPI_Type_vector(8, 1, 2, MPI_DOUBLE, &every_other);
    MPI_Type_commit(&every_other);
  }
  MPI_Alltoallw(sent, &one, &place, &every_other, received, &one, &place, &every_other, MPI_COMM_SELF);
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

static void start_all(MPI_Request* request) {
  static int sent, received[neighbors];
  for (int i = 0; i < neighbors; ++i) MPI_Irecv(&received[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, request++);
  for (int i = 0; i < neighbors; ++i) MPI_Isend(&sent, 1, MPI_INT, 0, i, MPI_COMM_SELF, request++);
}

static void wait_for_all(void) {
  MPI_Request request[requests];
  start_all(request);
  MPI_Waitall(requests, request, MPI_STATUSES_IGNORE);
}

static void wait_for_any(void) {
  MPI_Request request[requests];
  start_all(request);
  for (int i = 0, index; i < requests; ++i) MPI_Waitany(requests, request, &index, MPI_STATUS_IGNORE);
}

/// Of this thread, so that what else runs on the processor does not count.
static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/// Nanoseconds of each of the `parts` calls that `call` makes.
static double least(void (*call)(void), int parts) {
  const int times = calls / parts;
  double best = 1e9;
  for (int run = 0; run < runs; ++run) {
    const double begin = seconds();
    for (int i = 0; i < times; ++i) call();
    const double time = seconds() - begin;
    if (time < best) best = time;
  }
  return 1e9 * best / times / parts;
}

int main(int argc, char** argv) {
  int level = argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, level, &level);
  printf("MPI_Get_count %.1f ns, MPI_Iprobe %.1f ns, MPI_Bcast %.1f ns, MPI_Alltoallv %.1f ns, ",
         least(get_count, 1), least(iprobe, 1), least(bcast, 1), least(alltoallv, 1));
  printf("MPI_Alltoallw %.1f ns, MPI_Sendrecv %.1f ns, ", least(alltoallw, 1), least(sendrecv, 1));
  printf("MPI_Wait %.1f ns, MPI_Waitall %.1f ns, MPI_Waitany %.1f ns\n", least(message, 3),
         least(wait_for_all, requests + 1), least(wait_for_any, 2 * requests));
  MPI_Finalize();
  return 0;
}
