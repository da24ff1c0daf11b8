// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What ends otherwise than by a message that arrives: nobody at the other end, the rank itself, wildcards,
// requests that are freed or cancelled.
#include "../common/report.h"
#include "groups.h"
#include "message.h"

#include <stdio.h>
#include <stdlib.h>

static void nobody(void) {
  struct side r = side_of(3, 500, 0, 1);
  const int n = r.count;
  MPI_Datatype type = r.shape.type;
  MPI_Status status;
  MPI_Request requests[2];
  MPI_Message message;
  int found = 0;
  TWIN(MPI_Send, r.buf, n, type, MPI_PROC_NULL, 1, world.comm);
  TWIN(MPI_Ssend, r.buf, n, type, MPI_PROC_NULL, 1, world.comm);
  TWIN(MPI_Recv, r.buf, n, type, MPI_PROC_NULL, 1, world.comm, &status);
  report("Recv from nobody: %s, %016lx", status_text(&status, type), side_hash(&r));
  MPI_Probe(MPI_PROC_NULL, 1, world.comm, &status);
  report("Probe of nobody: %s", status_text(&status, type));
  MPI_Iprobe(MPI_PROC_NULL, 1, world.comm, &found, &status);
  report("Iprobe of nobody: %d, %s", found, status_text(&status, type));
  MPI_Mprobe(MPI_PROC_NULL, 1, world.comm, &message, &status);
  report("Mprobe of nobody: %d, %s", message == MPI_MESSAGE_NO_PROC, status_text(&status, type));
  TWIN(MPI_Mrecv, r.buf, n, type, &message, &status);
  report("Mrecv from nobody: %d, %s", message == MPI_MESSAGE_NULL, status_text(&status, type));
  TWIN(MPI_Isend, r.buf, n, type, MPI_PROC_NULL, 1, world.comm, &requests[0]);
  TWIN(MPI_Irecv, r.buf, n, type, MPI_PROC_NULL, 1, world.comm, &requests[1]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Wait(&requests[1], &status);
  report("Irecv from nobody: %s, %016lx", status_text(&status, type), side_hash(&r));
  MPI_Iprobe(MPI_ANY_SOURCE, 77, world.comm, &found, MPI_STATUS_IGNORE);
  report("Iprobe of no message: %d", found);
  side_free(&r);
}

static void itself(int kind, int bytes) {
  struct side s = side_of(kind, bytes, 0, world.rank), r = side_of(kind, bytes, 0, 9);
  MPI_Request requests[2];
  MPI_Status status;
  TWIN(MPI_Isend, s.buf, s.count, s.shape.type, world.rank, 8, world.comm, &requests[0]);
  MPI_Probe(world.rank, 8, world.comm, &status);
  TWIN(MPI_Recv, r.buf, r.count, r.shape.type, world.rank, 8, world.comm, &status);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  report("to itself, %s %d: %s, %016lx", type_names[kind], bytes, status_text(&status, r.shape.type),
         side_hash(&r));
  side_fill(&r, 10);
  TWIN(MPI_Irecv, r.buf, r.count, r.shape.type, 0, 8, MPI_COMM_SELF, &requests[1]);
  TWIN(MPI_Send, s.buf, s.count, s.shape.type, 0, 8, MPI_COMM_SELF);
  MPI_Wait(&requests[1], &status);
  report("over MPI_COMM_SELF: %s, %016lx", status_text(&status, r.shape.type), side_hash(&r));
  side_free(&s);
  side_free(&r);
}

/// Rank 0 takes what comes; messages of each sender come in their order.
static void wildcards(void) {
  enum { each = 12 };
  MPI_Status status;
  if (world.rank != 0) {
    for (int i = 0; i < each; ++i) {
      struct side s = side_of(i % types, message_sizes[i % sizes], 0, 100 * world.rank + i);
      TWIN(MPI_Send, s.buf, s.count, s.shape.type, 0, i % types, world.comm);
      side_free(&s);
    }
    MPI_Barrier(world.comm);
    return;
  }
  int* seen = calloc((size_t)world.size, sizeof *seen);
  char(*lines)[200] = calloc((size_t)(world.size * each), sizeof *lines);
  for (int i = 0; i < (world.size - 1) * each; ++i) {
    // Which message is next is known only from a probe; whoever sent it, the same number belongs to it.
    MPI_Message message;
    MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world.comm, &message, &status);
    const int source = status.MPI_SOURCE, n = seen[source]++;
    struct side r = side_of(n % types, message_sizes[n % sizes], 0, 7);
    TWIN(MPI_Mrecv, r.buf, r.count, r.shape.type, &message, &status);
    sprintf(lines[source * each + n], "any, number %d: %s, %016lx", n, status_text(&status, r.shape.type),
            side_hash(&r));
    side_free(&r);
  }
  MPI_Barrier(world.comm);  // nobody's next message may come among these
  for (int i = each; i < world.size * each; ++i) report("%s", lines[i]);
  free(lines);
  free(seen);
}

/// A send whose request is freed at once arrives all the same.
static void freed(int bytes) {
  struct side s = side_of(4, bytes, 0, world.rank), r = side_of(4, bytes, 0, 3);
  MPI_Request request;
  MPI_Status status;
  int told = 0;
  TWIN(MPI_Isend, s.buf, s.count, s.shape.type, world.right, 11, world.comm, &request);
  MPI_Request_free(&request);
  const int null = request == MPI_REQUEST_NULL;
  TWIN(MPI_Recv, r.buf, r.count, r.shape.type, world.left, 11, world.comm, &status);
  MPI_Send(&told, 0, MPI_INT, world.left, 12, world.comm);
  MPI_Recv(&told, 0, MPI_INT, world.right, 12, world.comm, MPI_STATUS_IGNORE);
  report("freed %d: %d, %s, %016lx", bytes, null, status_text(&status, r.shape.type), side_hash(&r));
  side_free(&s);
  side_free(&r);
}

/// A datatype may be freed while a message of it is under way, and before a persistent one is started.
static void freed_type(int persistent, int bytes) {
  struct side s = side_of(3, bytes, 0, world.rank), r = side_of(3, bytes, 0, 3);
  MPI_Request requests[2];
  MPI_Datatype types_of_messages[2] = {s.shape.type, r.shape.type};
  if (persistent) {
    TWIN(MPI_Recv_init, r.buf, r.count, r.shape.type, world.left, 11, world.comm, &requests[0]);
    TWIN(MPI_Send_init, s.buf, s.count, s.shape.type, world.right, 11, world.comm, &requests[1]);
  } else {
    TWIN(MPI_Irecv, r.buf, r.count, r.shape.type, world.left, 11, world.comm, &requests[0]);
    TWIN(MPI_Isend, s.buf, s.count, s.shape.type, world.right, 11, world.comm, &requests[1]);
  }
  MPI_Type_free(&types_of_messages[0]);
  MPI_Type_free(&types_of_messages[1]);
  if (persistent) MPI_Startall(2, requests);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; persistent && i < 2; ++i) MPI_Request_free(&requests[i]);
  s.shape.type = r.shape.type = s.shape.element;
  report("freed type %d: %016lx", bytes, side_hash(&r));
  side_free(&s);
  side_free(&r);
}

static void cancelled(int persistent) {
  struct side r = side_of(3, 510, 0, 4);
  MPI_Request request;
  MPI_Status status;
  if (persistent) {
    TWIN(MPI_Recv_init, r.buf, r.count, r.shape.type, MPI_ANY_SOURCE, 500, world.comm, &request);
    MPI_Start(&request);
  } else {
    TWIN(MPI_Irecv, r.buf, r.count, r.shape.type, MPI_ANY_SOURCE, 500, world.comm, &request);
  }
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  int is_cancelled = 0;
  MPI_Test_cancelled(&status, &is_cancelled);
  report("cancelled: %d %d, %016lx", is_cancelled, request == MPI_REQUEST_NULL, side_hash(&r));
  if (persistent) MPI_Request_free(&request);
  side_free(&r);
}

/// MPICH cancels what a process alone sends to itself, else nothing is cancelled.
static void cancelled_send(int persistent, int bytes) {
  struct side s = side_of(3, bytes, 0, world.rank), r = side_of(3, bytes, 0, 4);
  MPI_Request request;
  int over = 0, there = 0;
  if (persistent) {
    TWIN(MPI_Ssend_init, s.buf, s.count, s.shape.type, world.rank, 14, world.comm, &request);
    MPI_Start(&request);
  } else {
    TWIN(MPI_Issend, s.buf, s.count, s.shape.type, world.rank, 14, world.comm, &request);
  }
  MPI_Cancel(&request);
  while (!over && !there) {
    MPI_Request_get_status(request, &over, MPI_STATUS_IGNORE);
    MPI_Iprobe(world.rank, 14, world.comm, &there, MPI_STATUS_IGNORE);
  }
  if (there) TWIN(MPI_Recv, r.buf, r.count, r.shape.type, world.rank, 14, world.comm, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  report("cancelled send %d: %d, %016lx", bytes, there, side_hash(&r));
  if (persistent) MPI_Request_free(&request);
  side_free(&s);
  side_free(&r);
}

/// It is too late once the message is there.
static void cancelled_late(void) {
  struct side s = side_of(3, 510, 0, world.rank), r = side_of(3, 510, 0, 4);
  MPI_Request sent, received;
  MPI_Status status;
  TWIN(MPI_Isend, s.buf, s.count, s.shape.type, world.right, 13, world.comm, &sent);
  MPI_Probe(world.left, 13, world.comm, &status);
  TWIN(MPI_Irecv, r.buf, r.count, r.shape.type, world.left, 13, world.comm, &received);
  MPI_Cancel(&received);
  MPI_Wait(&received, &status);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
  report("cancelled late: %s, %016lx", status_text(&status, r.shape.type), side_hash(&r));
  side_free(&s);
  side_free(&r);
}

/// In a job of one process; in others MPICH crashes where it is asked to cancel a persistent send.
void group_alone(void) {
  for (int size = 0; size < sizes; ++size) {
    cancelled_send(0, message_sizes[size]);
    cancelled_send(1, message_sizes[size]);
  }
}

void group_odd(void) {
  nobody();
  for (int kind = 0; kind < types; ++kind) itself(kind, message_sizes[kind % sizes]);
  itself(3, 1 << 20);
  wildcards();
  for (int size = 0; size < sizes; ++size) freed(message_sizes[size]);
  for (int size = 0; size < sizes; ++size) freed_type(size % 2, message_sizes[size]);
  cancelled(0);
  cancelled(1);
  cancelled_late();
}
