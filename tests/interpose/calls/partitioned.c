// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Partitioned communication around the ring.
#include "../common/report.h"
#include "groups.h"
#include "message.h"

#if MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5

enum { partitions = 4, rounds = 2 };

/// In an order of its own each time.
static void make_ready(int round, MPI_Request request) {
  if (round == 0) {
    MPI_Pready(2, request);
    MPI_Pready_range(0, 1, request);
    MPI_Pready(3, request);
  } else {
    MPI_Pready_list(3, (int[]){3, 0, 2}, request);
    MPI_Pready(1, request);
  }
}

/// As soon as it has arrived a partition may be read, though the others may still be on their way.
static void await(int received, MPI_Request request) {
  for (int partition = received - 1; partition >= 0; --partition) {
    for (int arrived = 0; arrived == 0;) MPI_Parrived(request, partition, &arrived);
  }
}

/// `asks`: by MPI_Parrived, and not only by MPI_Wait.
static void try_partitioned(int kind, int bytes, int received, int asks) {
  struct side s = side_of(kind, partitions * bytes, 0, world.rank), r = side_of(kind, partitions * bytes, 0, 50);
  MPI_Request requests[2];
  MPI_Status statuses[2];
  s.count -= s.count % partitions;
  MPI_Psend_init(s.buf, partitions, s.count / partitions, s.shape.type, world.right, 7, world.comm, MPI_INFO_NULL, &requests[0]);
  MPI_Precv_init(r.buf, received, s.count / received, r.shape.type, world.left, 7, world.comm, MPI_INFO_NULL, &requests[1]);
  for (int round = 0; round < rounds; ++round) {
    unsigned long early = 0;
    side_fill(&s, world.rank + 10 * round);
    side_fill(&r, 50 + round);
    MPI_Startall(2, requests);
    make_ready(round, requests[0]);
    if (asks) {
      await(received, requests[1]);
      early = side_hash(&r);
    }
    MPI_Waitall(2, requests, statuses);
    report("%s %d in %d, %d: %s, %016lx %016lx", type_names[kind], bytes, received, asks, status_text(&statuses[1], r.shape.type), early,
           side_hash(&r));
    int arrived = 0;
    MPI_Parrived(requests[1], 0, &arrived);
    report("  of none: %d", arrived);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  side_free(&s);
  side_free(&r);
}

/// Open MPI 5.0.11 loses partitions where several threads call it: only whether it is given the memory is looked at.
static void try_init(void) {
  struct side s = side_of(0, 100, 0, 0);
  MPI_Request request;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Comm_set_errhandler(world.comm, MPI_ERRORS_RETURN);
  const int code = MPI_Psend_init(s.buf, 1, s.count, s.shape.type, world.right, 8, world.comm, MPI_INFO_NULL, &request);
  MPI_Comm_set_errhandler(world.comm, MPI_ERRORS_ARE_FATAL);
  if (code != MPI_SUCCESS) MPI_Error_string(code, text, &length);
  if (code == MPI_SUCCESS) MPI_Request_free(&request);
  report("MPI_Psend_init: %s, %s", error_text(code), text);
  side_free(&s);
}

void group_partitioned(void) {
  if (world.large) return;  // these have no twins
#ifdef OPEN_MPI
  (void)try_partitioned;
  try_init();
  return;
#endif
  (void)try_init;
  for (int kind = 0; kind < types; ++kind) {
    try_partitioned(kind, 4096, partitions, kind % 2);
    try_partitioned(kind, 100, partitions / 2, 1 - kind % 2);
  }
  try_partitioned(3, 1 << 20, partitions, 1);
}

#else

void group_partitioned(void) {}

#endif
