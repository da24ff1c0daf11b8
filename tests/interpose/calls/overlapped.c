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

/// By turns numbers whose sum depends on the order, and zeros of which the largest does.
static void fill_by_turns(double* memory, int seed) {
  static const double values[] = {1e16, 1.0, -1e16, 3.0, 1e-3};
  double* const made = malloc(numbers * sizeof(double));
  for (int i = 0; i < numbers; ++i)
    made[i] = i % 2 == 0 ? values[(i + seed) % 5] * (1 + i % 7) : (i / 2 + seed) % 2 == 0 ? 0.0 : -0.0;
  memory_write(memory, made, numbers * sizeof(double));
  free(made);
}

static void expect_same_bits(const char* what, const double* first, const double* again) {
  const size_t bytes = numbers * sizeof(double);
  char* const read = malloc(2 * bytes);
  memory_read(read, first, bytes);
  memory_read(read + bytes, again, bytes);
  report("%s beside another call: %s bits", what, memcmp(read, read + bytes, bytes) == 0 ? "the same" : "other");
  free(read);
}

/// Results must not depend on whether another call has the memory for partial results: rank 0 comes to the
/// others with a call under way that they have not begun.
static void beside_another_call(void) {
#if HAS_PERSISTENT_COLLECTIVES
  static const MPI_Op ops[] = {MPI_SUM, MPI_MAX};
  double *s, *r[2], *blocking[2], *scattered[2], *under_way;
  double** const all[] = {&s, &r[0], &r[1], &blocking[0], &blocking[1], &scattered[0], &scattered[1], &under_way};
  MPI_Request persistent, other;
  MPI_Comm comm;
  MPI_Comm_dup(world.comm, &comm);
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
    *all[i] = memory_get(numbers * sizeof(double));
    fill_by_turns(*all[i], 0);
  }
  fill_by_turns(s, world.rank);
  fill_by_turns(under_way, world.rank);
  MPI_Iallreduce(MPI_IN_PLACE, under_way, numbers, MPI_DOUBLE, MPI_MIN, world.comm, &other);  // the first tells tags
  MPI_Wait(&other, MPI_STATUS_IGNORE);
  for (int op = 0; op < 2; ++op) {
    for (int beside = 0; beside < 2; ++beside) {
      int flag = 0;
      MPI_Allreduce_init(s, r[beside], numbers, MPI_DOUBLE, ops[op], world.comm, MPI_INFO_NULL, &persistent);
      if (beside && world.rank == 0)
        MPI_Iallreduce(MPI_IN_PLACE, under_way, numbers, MPI_DOUBLE, MPI_MIN, world.comm, &other);
      for (int i = 0; beside && world.rank == 0 && i < 1000; ++i) MPI_Test(&other, &flag, MPI_STATUS_IGNORE);
      MPI_Start(&persistent);
      if (!beside) MPI_Wait(&persistent, MPI_STATUS_IGNORE);
      MPI_Allreduce(s, blocking[beside], numbers, MPI_DOUBLE, ops[op], comm);
      MPI_Reduce_scatter_block(s, scattered[beside], numbers / world.size, MPI_DOUBLE, ops[op], comm);
      MPI_Wait(&persistent, MPI_STATUS_IGNORE);
      if (beside && world.rank != 0)
        MPI_Iallreduce(MPI_IN_PLACE, under_way, numbers, MPI_DOUBLE, MPI_MIN, world.comm, &other);
      if (beside) MPI_Wait(&other, MPI_STATUS_IGNORE);
      MPI_Request_free(&persistent);
    }
    expect_same_bits(op == 0 ? "persistent sum" : "persistent max", r[0], r[1]);
    expect_same_bits(op == 0 ? "sum" : "max", blocking[0], blocking[1]);
    expect_same_bits(op == 0 ? "scattered sum" : "scattered max", scattered[0], scattered[1]);
  }
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) memory_free(*all[i]);
  MPI_Comm_free(&comm);
#endif
}

void group_overlapped(void) {
  if (world.large) return;
  many_at_once();
  of_two_memories();
  persistent_in_any_order();
  beside_another_call();
}
