// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// usage: readiness <library>
// Rank 0 sends long messages to rank 1, which loads the library, a driver of CUDA, in between: from then on the
// preloaded library is to receive what this rank receives, and to take announcements once the MPI has no
// receive of before any more. Who sent how is told by the library's statistics.
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { numbers = 1 << 18, idle = 1, preparing, early, kept, still_preparing, ready };

static int rank;
static int memory[numbers], early_memory[numbers], kept_memory[numbers];

static void expect(const int* received, int tag) {
  for (int i = 0; i < numbers; ++i) {
    if (received[i] == tag * 1000000 + i) continue;
    fprintf(stderr, "message %d: number %d is %d\n", tag, i, received[i]);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static void send(int tag) {
  for (int i = 0; i < numbers; ++i) memory[i] = tag * 1000000 + i;
  MPI_Send(memory, numbers, MPI_INT, 1, tag, MPI_COMM_WORLD);
}

/// Sends it when all that rank 1 did before is done.
static void exchange(int tag) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    send(tag);
  } else {
    MPI_Recv(memory, numbers, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(memory, tag);
  }
}

static void exchange_left(int tag, MPI_Request* request, const int* received) {
  if (rank == 0) {
    send(tag);
  } else {
    MPI_Wait(request, MPI_STATUS_IGNORE);
    expect(received, tag);
  }
}

int main(int argc, char** argv) {
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) {
    MPI_Irecv(early_memory, numbers, MPI_INT, 0, early, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(kept_memory, numbers, MPI_INT, 0, kept, MPI_COMM_WORLD, &requests[1]);
  }
  exchange(idle);
  if (rank == 1 && dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  exchange(preparing);
  exchange_left(early, &requests[0], early_memory);
  if (rank == 1) MPI_Start(&requests[1]);
  exchange_left(kept, &requests[1], kept_memory);
  exchange(still_preparing);
  if (rank == 1) MPI_Request_free(&requests[1]);
  exchange(ready);
  MPI_Finalize();
  return 0;
}
