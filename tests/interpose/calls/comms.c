// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages over communicators of other kinds, between which nothing may be mixed up.
#include "../common/report.h"
#include "groups.h"
#include "message.h"

#include <stdio.h>

enum { tag = 4 };

/// From each to the peer, and back, on a communicator in which both have these ranks.
static void exchange(const char* name, MPI_Comm comm, int to, int from, int kind, int bytes) {
  struct side s = side_of(kind, bytes, 0, world.rank), r = side_of(kind, bytes, 0, 30);
  MPI_Request request;
  MPI_Status status;
  TWIN(MPI_Irecv, r.buf, r.count, r.shape.type, from, tag, comm, &request);
  TWIN(MPI_Send, s.buf, s.count, s.shape.type, to, tag, comm);
  MPI_Wait(&request, &status);
  report("%s, %s %d: %s, %016lx", name, type_names[kind], bytes, status_text(&status, r.shape.type),
         side_hash(&r));
  side_free(&s);
  side_free(&r);
}

/// The same tag and source on two communicators, received in the other order.
static void apart(MPI_Comm other, int bytes) {
  struct side s[2], r[2];
  MPI_Request requests[2];
  MPI_Comm comms[2] = {world.comm, other};
  for (int i = 0; i < 2; ++i) {
    s[i] = side_of(3, bytes, 0, 10 * world.rank + i);
    r[i] = side_of(3, bytes, 0, 40 + i);
    TWIN(MPI_Isend, s[i].buf, s[i].count, s[i].shape.type, world.right, tag, comms[i], &requests[i]);
  }
  for (int i = 1; i >= 0; --i) {
    TWIN(MPI_Recv, r[i].buf, r[i].count, r[i].shape.type, MPI_ANY_SOURCE, MPI_ANY_TAG, comms[i],
         MPI_STATUS_IGNORE);
  }
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  report("two communicators, %d: %016lx %016lx", bytes, side_hash(&r[0]), side_hash(&r[1]));
  for (int i = 0; i < 2; ++i) side_free(&s[i]), side_free(&r[i]);
}

/// Between rank 0 and all others.
static void between_groups(int kind, int bytes) {
  MPI_Comm local, inter;
  MPI_Comm_split(world.comm, world.rank == 0, world.rank, &local);
  MPI_Intercomm_create(local, 0, world.comm, world.rank == 0 ? 1 : 0, 50, &inter);
  const int remote = world.size - 1;
  if (world.rank == 0) {
    struct side r = side_of(kind, bytes, 0, 60);
    MPI_Status status;
    for (int i = 0; i < remote; ++i) {
      TWIN(MPI_Recv, r.buf, r.count, r.shape.type, i, tag, inter, &status);
      report("intercommunicator: %s, %016lx", status_text(&status, r.shape.type), side_hash(&r));
      TWIN(MPI_Ssend, r.buf, r.count, r.shape.type, i, tag, inter);
    }
    side_free(&r);
  } else {
    exchange("intercommunicator", inter, 0, 0, kind, bytes);
  }
  MPI_Comm_free(&inter);
  MPI_Comm_free(&local);
}

/// Nothing more is needed of it than its handle's end.
static void freed_under_way(MPI_Comm from, int kind, int bytes) {
  enum { messages = 16 };
  struct side s[messages], r[messages];
  MPI_Request requests[2 * messages];
  MPI_Comm moment;
  MPI_Comm_dup(from, &moment);
  for (int i = 0; i < messages; ++i) {
    s[i] = side_of(kind, bytes, 0, 10 * world.rank + i);
    r[i] = side_of(kind, bytes, 0, 70 + i);
    TWIN(MPI_Irecv, r[i].buf, r[i].count, r[i].shape.type, world.left, i, moment, &requests[i]);
  }
  for (int i = 0; i < messages; ++i) {
    TWIN(MPI_Isend, s[i].buf, s[i].count, s[i].shape.type, world.right, i, moment, &requests[messages + i]);
  }
  MPI_Comm_free(&moment);
  MPI_Waitall(2 * messages, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < messages; ++i) {
    report("freed under way, %s %d, %d: %016lx", type_names[kind], bytes, i, side_hash(&r[i]));
    side_free(&s[i]), side_free(&r[i]);
  }
}

void group_comms(void) {
  MPI_Comm copy, reversed, half;
  MPI_Comm_dup(world.comm, &copy);
  MPI_Comm_split(world.comm, 0, -world.rank, &reversed);
  MPI_Comm_split(world.comm, world.rank % 2, world.rank, &half);
  int rank = 0, size = 0, half_rank = 0, half_size = 0;
  MPI_Comm_rank(reversed, &rank);
  MPI_Comm_size(reversed, &size);
  MPI_Comm_rank(half, &half_rank);
  MPI_Comm_size(half, &half_size);
  for (int kind = 0; kind < types; ++kind) {
    const int bytes = message_sizes[kind % sizes];
    exchange("copy", copy, world.right, world.left, kind, bytes);
    exchange("reversed", reversed, (rank + 1) % size, (rank + size - 1) % size, kind, bytes);
    exchange("half", half, (half_rank + 1) % half_size, (half_rank + half_size - 1) % half_size, kind, bytes);
  }
  for (int i = 0; i < sizes; ++i) apart(copy, message_sizes[i]);
  if (world.size > 1) {
    for (int i = 0; i < sizes; ++i) between_groups(4 + i, message_sizes[i]);
  }
  // Many that live for a moment.
  for (int i = 0; i < 20; ++i) {
    MPI_Comm moment;
    MPI_Comm_dup(i % 2 == 0 ? copy : reversed, &moment);
    MPI_Comm_rank(moment, &rank);
    exchange("for a moment", moment, (rank + 1) % size, (rank + size - 1) % size, 3, 20 << 10);
    i % 4 == 0 ? MPI_Comm_disconnect(&moment) : MPI_Comm_free(&moment);
  }
  for (int i = 0; i < sizes; ++i) freed_under_way(copy, 2 + i % 2, message_sizes[i]);
  MPI_Comm_free(&half);
  MPI_Comm_free(&reversed);
  MPI_Comm_free(&copy);
}
