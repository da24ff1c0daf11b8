// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reductions under way at once, on communicators of which each rank takes another first, with memory of
// several kinds.
#include "collect.h"
#include "groups.h"

#include "../common/memory.h"
#include "../common/report.h"

#include <stdlib.h>
#include <string.h>

enum { numbers = 50000, at_once = 6, rounds = 3 };

static int host[numbers * most_peers];

static void fill(int* memory, int count, int seed) {
  for (int i = 0; i < count; ++i) host[i] = (i * 31 + seed * 7919) % 10007;
  memory_write(memory, host, (size_t)count * sizeof(int));
}

static unsigned long hash(const int* memory, int count) {
  unsigned long sum = 0;
  memory_read(host, memory, (size_t)count * sizeof(int));
  for (int i = 0; i < count; ++i) sum = sum * 1000003UL + (unsigned)host[i];
  return sum;
}

/// Half of them on each of two communicators, which are freed under way; other exchanges come in between.
static void many_at_once(void) {
  MPI_Comm comms[2];
  MPI_Request requests[at_once];
  int *s[at_once], *r[at_once], *all = memory_get(numbers * sizeof(int));
  MPI_Comm_dup(world.comm, &comms[0]);
  MPI_Comm_dup(world.comm, &comms[1]);
  for (int i = 0; i < at_once; ++i) {
    s[i] = memory_get(numbers * sizeof(int));
    r[i] = memory_get(numbers * sizeof(int));
    fill(s[i], numbers, world.rank + 10 * i);
    fill(r[i], numbers, 77);
  }
  for (int k = 0; k < at_once; ++k) {
    const int i = world.rank % 2 == 0 ? k : k ^ 1;  // of each pair one goes on each communicator
    if (i % 3 == 2)
      MPI_Iallreduce(MPI_IN_PLACE, s[i], numbers, MPI_INT, MPI_MAX, comms[i % 2], &requests[i]);
    else
      MPI_Iallreduce(s[i], r[i], numbers, MPI_INT, i % 2 == 0 ? MPI_SUM : MPI_BXOR, comms[i % 2],
                     &requests[i]);
  }
  fill(all, numbers, world.rank);
  MPI_Allreduce(MPI_IN_PLACE, all, numbers, MPI_INT, MPI_SUM, world.comm);
  report("beside: %016lx", hash(all, numbers));
  MPI_Bcast(all, numbers, MPI_INT, 1 % world.size, comms[1]);
  MPI_Comm_free(&comms[0]);
  MPI_Comm_free(&comms[1]);
  for (int k = 0; k < at_once; ++k)
    MPI_Wait(&requests[world.rank % 2 == 0 ? k : at_once - 1 - k], MPI_STATUS_IGNORE);
  for (int i = 0; i < at_once; ++i) {
    report("under way %d: %016lx %016lx", i, hash(s[i], numbers), hash(r[i], numbers));
    memory_free(s[i]);
    memory_free(r[i]);
  }
  memory_free(all);
}

/// Of numbers in the program's own memory to others, and the other way round, and of ranks that get nothing.
static void of_two_memories(void) {
  int *own = malloc(numbers * sizeof(int)), *other = memory_get(numbers * sizeof(int)), counts[most_peers];
  MPI_Request request;
  for (int from_own = 0; from_own < 2; ++from_own) {
    for (int i = 0; i < numbers; ++i) own[i] = i % 1013 + world.rank;
    fill(other, numbers, world.rank);
    MPI_Iallreduce(from_own ? own : other, from_own ? other : own, numbers, MPI_INT, MPI_SUM, world.comm,
                   &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    unsigned long sum = 0;
    for (int i = 0; i < numbers; ++i) sum = sum * 1000003UL + (unsigned)own[i];
    report("two memories %d: %016lx %016lx", from_own, sum, hash(other, numbers));
    fill(other, numbers, world.rank);
    MPI_Ireduce(other, world.rank == 0 ? own : NULL, numbers, MPI_INT, MPI_SUM, 0, world.comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    sum = 0;
    for (int i = 0; i < numbers && world.rank == 0; ++i) sum = sum * 1000003UL + (unsigned)own[i];
    report("to the root's own %d: %016lx", from_own, sum);
  }
  for (int i = 0; i < world.size; ++i) counts[i] = i == 0 ? numbers : 0;
  fill(other, numbers, world.rank);
  MPI_Ireduce_scatter(other, world.rank == 0 ? own : NULL, counts, MPI_INT, MPI_SUM, world.comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  report("scattered to one: %016lx %d", hash(other, numbers), world.rank == 0 ? own[numbers - 1] : 0);
  memory_free(other);
  free(own);
}

/// Of the same communicator, which ranks start in whatever order.
static void persistent_in_any_order(void) {
#if HAS_PERSISTENT_COLLECTIVES
  MPI_Request requests[2];
  int *s[2], *r[2];
  for (int i = 0; i < 2; ++i) {
    s[i] = memory_get(numbers * sizeof(int));
    r[i] = memory_get(numbers * sizeof(int));
    MPI_Allreduce_init(s[i], r[i], numbers, MPI_INT, i == 0 ? MPI_SUM : MPI_MIN, world.comm, MPI_INFO_NULL,
                       &requests[i]);
  }
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < 2; ++i) fill(s[i], numbers, world.rank + round + 10 * i);
    MPI_Start(&requests[(world.rank + round) % 2]);
    MPI_Start(&requests[(world.rank + round + 1) % 2]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    report("persistent, round %d: %016lx %016lx", round, hash(r[0], numbers), hash(r[1], numbers));
  }
  for (int i = 0; i < 2; ++i) {
    MPI_Request_free(&requests[i]);
    memory_free(s[i]);
    memory_free(r[i]);
  }
#endif
}

void group_overlapped(void) {
  if (world.large) return;
  many_at_once();
  of_two_memories();
  persistent_in_any_order();
}
