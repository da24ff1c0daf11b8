// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Datatypes and communicators that are freed while requests need them.
#include "../common/report.h"
#include "groups.h"
#include "message.h"

enum { rounds = 3 };

/// Persistent requests of datatypes that are gone before the first start, and of a communicator that goes after the last.
static void try_freed(int kind, int bytes) {
  struct side s = side_of(kind, bytes, 0, world.rank), r = side_of(kind, bytes, 0, 50);
  MPI_Datatype sent, received;
  MPI_Comm comm;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Comm_dup(world.comm, &comm);
  MPI_Type_dup(s.shape.type, &sent);
  MPI_Type_dup(r.shape.type, &received);
  TWIN(MPI_Send_init, s.buf, s.count, sent, world.right, 1, comm, &requests[0]);
  TWIN(MPI_Recv_init, r.buf, r.count, received, world.left, 1, comm, &requests[1]);
  MPI_Type_free(&sent);
  MPI_Type_free(&received);
  for (int round = 0; round < rounds; ++round) {
    side_fill(&s, world.rank + 10 * round);
    side_fill(&r, 50 + round);
    MPI_Startall(2, requests);
    if (round == rounds - 1) MPI_Comm_free(&comm);
    MPI_Waitall(2, requests, statuses);
    report("freed, %s %d: %s, %016lx", type_names[kind], bytes, status_text(&statuses[1], r.shape.type), side_hash(&r));
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  side_free(&s);
  side_free(&r);
}

void group_freed(void) {
  for (int kind = 0; kind < types; ++kind) {
    try_freed(kind, 4096);
    try_freed(kind, 1 << 18);
  }
}
