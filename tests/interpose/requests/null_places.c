// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A rank alone leaves out the place of a result in calls that this library takes, while a request of its own is under
// way. Where the MPI alone gives an error, which PMPI calls show, it gives one with the library, too.
#include <mpi.h>
#include <stdio.h>

enum { numbers = 100000 };
static int from[numbers], to[numbers];
static int failures = 0;

static void compare(const char* call, int with, int alone) {
  if ((with != MPI_SUCCESS) == (alone != MPI_SUCCESS)) return;
  ++failures;
  printf("wrong: %s: %d, and the MPI alone %d\n", call, with, alone);
}
#define COMPARE(name, ...) compare(#name, MPI_##name(__VA_ARGS__), PMPI_##name(__VA_ARGS__))

static void requests(void) {
  int flag = 0, index = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  COMPARE(Wait, NULL, MPI_STATUS_IGNORE);
  COMPARE(Test, NULL, &flag, MPI_STATUS_IGNORE);
  COMPARE(Waitall, 3, NULL, MPI_STATUSES_IGNORE);
  COMPARE(Waitany, 3, NULL, &index, MPI_STATUS_IGNORE);
  COMPARE(Waitall, 0, NULL, MPI_STATUSES_IGNORE);
  COMPARE(Testall, 0, NULL, &flag, MPI_STATUSES_IGNORE);
  COMPARE(Request_free, NULL);
  COMPARE(Start, NULL);
  COMPARE(Startall, 3, NULL);
  COMPARE(Cancel, NULL);
  COMPARE(Test, &request, NULL, MPI_STATUS_IGNORE);
}

static void messages(void) {
  COMPARE(Isend, from, numbers, MPI_INT, 0, 5, MPI_COMM_WORLD, NULL);
  COMPARE(Irecv, to, numbers, MPI_INT, 0, 5, MPI_COMM_WORLD, NULL);
  COMPARE(Send_init, from, numbers, MPI_INT, 0, 5, MPI_COMM_WORLD, NULL);
  COMPARE(Recv_init, to, numbers, MPI_INT, 0, 5, MPI_COMM_WORLD, NULL);
}

// Open MPI writes to these places without a look.
static void looked_at_by_mpich(void) {
#ifndef OPEN_MPI
  COMPARE(Iprobe, 0, 0, MPI_COMM_WORLD, NULL, MPI_STATUS_IGNORE);
  COMPARE(Mprobe, 0, 0, MPI_COMM_WORLD, NULL, MPI_STATUS_IGNORE);
  COMPARE(Mrecv, to, 5, MPI_INT, NULL, MPI_STATUS_IGNORE);
  COMPARE(Pack, from, 5, MPI_INT, to, 100, NULL, MPI_COMM_WORLD);
  COMPARE(Unpack, from, 100, NULL, to, 5, MPI_INT, MPI_COMM_WORLD);
  COMPARE(Iallreduce, from, to, numbers, MPI_INT, MPI_SUM, MPI_COMM_WORLD, NULL);
  COMPARE(Ialltoall, from, numbers, MPI_INT, to, numbers, MPI_INT, MPI_COMM_WORLD, NULL);
#endif
}

int main(int argc, char** argv) {
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Irecv(to, numbers, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
  requests();
  messages();
  looked_at_by_mpich();
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (failures == 0) puts("all is right");
  MPI_Finalize();
  return failures != 0;
}
