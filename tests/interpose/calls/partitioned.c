// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Partitioned communication around the ring.
#include "../common/memory.h"
#include "../common/report.h"
#include "groups.h"
#include "message.h"

#include <stdlib.h>

#if MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5

enum { rounds = 3, most = 12 };  // all numbers of partitions divide `most`

enum { one_by_one, as_list, as_range };               // how partitions are made ready
enum { by_wait, by_test, by_arrival, by_any, ways };  // how one waits

/// Each partition once, in an order of its own.
static void make_ready(int how, int partitions, MPI_Request request) {
  int order[most];
  for (int i = 0; i < partitions; ++i) order[i] = (5 * i + 3) % partitions;  // 5 divides none of the numbers
  if (how == one_by_one) {
    for (int i = 0; i < partitions; ++i) MPI_Pready(order[i], request);
  } else if (how == as_list) {
    MPI_Pready_list(partitions - 1, order, request);
    MPI_Pready(order[partitions - 1], request);
  } else {
    const int middle = partitions / 2;
    MPI_Pready_range(middle, partitions - 1, request);
    if (middle > 0) MPI_Pready_range(0, middle - 1, request);
  }
}

/// {send, receive}. The status is that of the receive.
static void await(int how, int received, MPI_Request* requests, MPI_Status* status) {
  MPI_Status statuses[2];
  int index, flag = 0;
  if (how == by_arrival) {
    for (int partition = received - 1; partition >= 0; --partition) {
      for (int arrived = 0; !arrived;) MPI_Parrived(requests[1], partition, &arrived);
    }
  }
  if (how == by_test) {
    while (!flag) MPI_Test(&requests[1], &flag, status);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  } else if (how == by_any) {
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    while (!flag) MPI_Request_get_status(requests[1], &flag, MPI_STATUS_IGNORE);
    MPI_Waitany(2, requests, &index, status);
  } else {
    MPI_Waitall(2, requests, statuses);
    *status = statuses[1];
  }
}

/// As if this side's memory were the host's, whatever the kind.
static void move_to_host(struct side* side) {
  const size_t offset = (size_t)((char*)side->buf - side->memory);
  memory_free(side->memory);
  side->memory = malloc(side->bytes);
  side->buf = side->memory + offset;
}

static void free_side(struct side* side, int is_host) {
  if (is_host) {
    free(side->memory);
    side->memory = memory_get(1);
  }
  side_free(side);
}

/// Open MPI 5.0.11 takes partitions for consecutive bytes.
static int mpi_places_partitions(MPI_Datatype type) {
#ifdef OPEN_MPI
  MPI_Aint lb, extent, true_lb, true_extent;
  int size;
  MPI_Type_size(type, &size);
  MPI_Type_get_extent(type, &lb, &extent);
  MPI_Type_get_true_extent(type, &true_lb, &true_extent);
  return lb == 0 && true_lb == 0 && extent == size && true_extent == size;
#else
  (void)type;
  return 1;
#endif
}

/// The side of a message whose items go into so many partitions, whatever their number.
static struct side partitioned_side(int kind, int bytes, int seed) {
  struct side probe = side_of(kind, bytes, 0, 0);
  const int more = (most - probe.count % most) % most;
  side_free(&probe);
  return side_of(kind, bytes, more, seed);
}

/// `host`: which sides are memory of the host, 1 the sent, 2 the received.
static void try_partitioned(int kind, int bytes, int sent, int received, int how, int waits, int host) {
  struct side s = partitioned_side(kind, bytes, world.rank), r = partitioned_side(kind, bytes, 50);
  MPI_Request requests[2];
  MPI_Status status;
  MPI_Comm comm;
  if (s.shape.absolute || !mpi_places_partitions(s.shape.type)) {
    side_free(&s);
    side_free(&r);
    return;
  }
  if (host & 1) move_to_host(&s);
  if (host & 2) move_to_host(&r);
  MPI_Comm_dup(world.comm, &comm);
  MPI_Psend_init(s.buf, sent, s.count / sent, s.shape.type, world.right, 7, comm, MPI_INFO_NULL,
                 &requests[0]);
  MPI_Precv_init(r.buf, received, r.count / received, r.shape.type, world.left, 7, comm, MPI_INFO_NULL,
                 &requests[1]);
  for (int round = 0; round < rounds; ++round) {
    side_fill(&s, world.rank + 10 * round);
    side_fill(&r, 50 + round);
    MPI_Startall(2, requests);
    if (round == rounds - 1) MPI_Comm_free(&comm);
    make_ready((how + round) % 3, sent, requests[0]);
    await(waits, received, requests, &status);
    int arrived = 0;
    MPI_Parrived(requests[1], 0, &arrived);  // of one that is not active
    report("%s %d, %d in %d, %d %d %d: %s, %d, %016lx", type_names[kind], bytes, sent, received, how, waits,
           host, status_text(&status, r.shape.type), arrived, side_hash(&r));
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  free_side(&s, host & 1);
  free_side(&r, host & 2);
}

/// What MPI must refuse. Open MPI 5.0.11 crashes.
static void try_refused(void) {
#ifndef OPEN_MPI
  struct side s = side_of(3, 100, 11, 0), r = side_of(3, 100, 11, 50);
  const int outside[2] = {0, 2};
  MPI_Request requests[2];
  int arrived = 0;
  MPI_Psend_init(s.buf, 2, 6, s.shape.type, world.right, 8, world.comm, MPI_INFO_NULL, &requests[0]);
  MPI_Precv_init(r.buf, 2, 6, r.shape.type, world.left, 8, world.comm, MPI_INFO_NULL, &requests[1]);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  report("ready before the start: %s", error_text(MPI_Pready(0, requests[0])));
  report("arrived before the start: %s, %d", error_text(MPI_Parrived(requests[1], 0, &arrived)), arrived);
  MPI_Startall(2, requests);
  report("ready outside: %s, %s, %s", error_text(MPI_Pready(2, requests[0])),
         error_text(MPI_Pready_range(1, 2, requests[0])),
         error_text(MPI_Pready_list(2, outside, requests[0])));
  report("arrived outside: %s", error_text(MPI_Parrived(requests[1], -1, &arrived)));
  report("of the wrong side: %s, %s", error_text(MPI_Pready(0, requests[1])),
         error_text(MPI_Parrived(requests[0], 0, &arrived)));
  report("started twice: %s", error_text(MPI_Start(&requests[0])));
  MPI_Pready_list(0, outside, requests[0]);
  MPI_Pready_range(0, 1, requests[0]);
  for (int i = 0; i < 50; ++i) MPI_Barrier(world.comm);  // in which the MPI receives
  report("of the wrong side, received: %s", error_text(MPI_Pready_range(0, 1, requests[1])));
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  report("all the same: %016lx", side_hash(&r));
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  side_free(&s);
  side_free(&r);
#endif
}

/// Messages that match by the order in which their requests were made, and not by that in which they start.
static void try_order(void) {
  struct side s[2], r[2];
  MPI_Request requests[4];
  for (int i = 0; i < 2; ++i) {
    s[i] = partitioned_side(1, 400, world.rank + i);
    r[i] = partitioned_side(1, 400, 60 + i);
    MPI_Psend_init(s[i].buf, 2, s[i].count / 2, s[i].shape.type, world.right, 9, world.comm, MPI_INFO_NULL,
                   &requests[i]);
    MPI_Precv_init(r[i].buf, 2, r[i].count / 2, r[i].shape.type, world.left, 9, world.comm, MPI_INFO_NULL,
                   &requests[2 + i]);
  }
  for (int i = 1; i >= 0; --i) {
    MPI_Start(&requests[i]);
    MPI_Pready_range(0, 1, requests[i]);
  }
  MPI_Startall(2, requests + 2);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  report("in order: %016lx %016lx", side_hash(&r[0]), side_hash(&r[1]));
  for (int i = 0; i < 4; ++i) MPI_Request_free(&requests[i]);
  for (int i = 0; i < 2; ++i) {
    side_free(&s[i]);
    side_free(&r[i]);
  }
}

/// Numbers of partitions of both sides.
static const int numbers[][2] = {{4, 4}, {1, 4}, {6, 2}, {3, 12}, {12, 1}};
enum { pairs = sizeof numbers / sizeof numbers[0] };

void group_partitioned(void) {
  if (world.large) return;  // these have no twins
  for (int kind = 0; kind < types; ++kind) {
    for (int i = 0; i < 3; ++i) {
      const int pair = (kind + i) % pairs;
      const int sent = numbers[pair][0], received = numbers[pair][1];
      int waits = (kind + 2 * i) % ways;
#ifdef OPEN_MPI  // 5.0.11 tells of other partitions where the numbers differ
      if (waits == by_arrival && sent != received) waits = by_wait;
#endif
      try_partitioned(kind, i == 0 ? 4096 : 100, sent, received, kind + i, waits, (kind + i) % 4);
    }
  }
  try_partitioned(3, 100000, 4, 4, one_by_one, by_arrival, 0);
  try_partitioned(1, 1 << 20, 12, 1, as_list, by_wait, 0);
  try_partitioned(0, 0, 4, 2, as_range, by_wait, 0);
  try_order();
  try_refused();
}

/// Whether the MPI is given memory that it cannot take.
void group_partitioned_refused(void) {
  if (world.large) return;
  struct side s = side_of(0, 100, 0, 0);
  MPI_Comm_set_errhandler(world.comm, MPI_ERRORS_RETURN);
  for (int receives = 0; receives < 2; ++receives) {
    MPI_Request request;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    const int code = receives ? MPI_Precv_init(s.buf, 1, s.count, s.shape.type, world.left, 9, world.comm,
                                               MPI_INFO_NULL, &request)
                              : MPI_Psend_init(s.buf, 1, s.count, s.shape.type, world.right, 8, world.comm,
                                               MPI_INFO_NULL, &request);
    if (code != MPI_SUCCESS) MPI_Error_string(code, text, &length);
    if (code == MPI_SUCCESS) MPI_Request_free(&request);
    report("%s: %s, %s", receives ? "MPI_Precv_init" : "MPI_Psend_init", error_text(code), text);
  }
  MPI_Comm_set_errhandler(world.comm, MPI_ERRORS_ARE_FATAL);
  side_free(&s);
}

#else

void group_partitioned(void) { report("no partitions"); }
void group_partitioned_refused(void) {}

#endif
