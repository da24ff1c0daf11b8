// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// usage: first_comer host|turns|ahead|communicators [<kind of memory>]
// Collective calls that give a request: the rank that comes to one first chooses how all make it. Checks what
// each rank receives; which way the calls went is told by the library's statistics.
#include "../common/memory.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum call { bcast, gather, scatter, allgather, alltoall, gatherv, scatterv, allgatherv, reduce, allreduce, reduce_scatter, calls };
enum { block = 32768, most = 16, rounds = 10 };  // numbers: as few as go by us

static int rank, size, *sent, *received, numbers[most * block], counts[most], places[most];

static int number(int of, int i, int seed) { return 1001 * of + i + seed; }
static int sum(int i, int seed) {
  int all = 0;
  for (int of = 0; of < size; ++of) all += number(of, i, seed);
  return all;
}

static void fail(const char* what, int seed, int i) {
  fprintf(stderr, "%s %d: number %d of rank %d is wrong\n", what, seed, i, rank);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void start(enum call call, int root, int seed, MPI_Comm comm, MPI_Request* request) {
  memset(numbers, -1, sizeof numbers);
  memory_write(received, numbers, sizeof numbers);
  for (int i = 0; i < size * block; ++i) numbers[i] = number(rank, i, seed);
  memory_write(sent, numbers, sizeof numbers);
  switch (call) {
    case bcast:
      if (rank == root) memory_write(received, numbers, block * sizeof(int));
      MPI_Ibcast(received, block, MPI_INT, root, comm, request);
      break;
    case gather: MPI_Igather(sent, block, MPI_INT, received, block, MPI_INT, root, comm, request); break;
    case scatter: MPI_Iscatter(sent, block, MPI_INT, received, block, MPI_INT, root, comm, request); break;
    case allgather: MPI_Iallgather(sent, block, MPI_INT, received, block, MPI_INT, comm, request); break;
    case alltoall: MPI_Ialltoall(sent, block, MPI_INT, received, block, MPI_INT, comm, request); break;
    case gatherv: MPI_Igatherv(sent, block, MPI_INT, received, counts, places, MPI_INT, root, comm, request); break;
    case scatterv: MPI_Iscatterv(sent, counts, places, MPI_INT, received, block, MPI_INT, root, comm, request); break;
    case allgatherv: MPI_Iallgatherv(sent, block, MPI_INT, received, counts, places, MPI_INT, comm, request); break;
    case reduce: MPI_Ireduce(sent, received, block, MPI_INT, MPI_SUM, root, comm, request); break;
    case allreduce: MPI_Iallreduce(sent, received, block, MPI_INT, MPI_SUM, comm, request); break;
    default: MPI_Ireduce_scatter_block(sent, received, block, MPI_INT, MPI_SUM, comm, request);
  }
}

static int right(enum call call, int root, int seed, int i) {
  const int from = i / block, there = rank * block + i % block;
  switch (call) {
    case bcast: return number(root, i, seed);
    case scatter:
    case scatterv: return number(root, there, seed);
    case alltoall: return number(from, there, seed);
    case reduce:
    case allreduce: return sum(i, seed);
    case reduce_scatter: return sum(there, seed);
    default: return number(from, i % block, seed);
  }
}

static void finish(enum call call, int root, int seed, MPI_Request* request) {
  const int to_root = call == gather || call == gatherv || call == reduce;
  const int blocks = call == gather || call == gatherv || call == allgather || call == allgatherv || call == alltoall ? size : 1;
  MPI_Wait(request, MPI_STATUS_IGNORE);
  memory_read(numbers, received, sizeof numbers);
  for (int i = 0; i < blocks * block && (!to_root || rank == root); ++i)
    if (numbers[i] != right(call, root, seed, i)) fail("call", call, i);
}

/// Each call, of which `first` has begun before any other rank does; or any rank, if that is -1.
static void each_call(int first, int seed, MPI_Comm comm) {
  const int root = seed % size;
  for (int call = 0; call < calls; ++call) {
    MPI_Request request;
    if (first >= 0 && rank != first) MPI_Recv(NULL, 0, MPI_INT, first, 0, comm, MPI_STATUS_IGNORE);
    start((enum call)call, root, seed, comm, &request);
    for (int to = 0; to < size && rank == first; ++to)
      if (to != first) MPI_Send(NULL, 0, MPI_INT, to, 0, comm);
    finish((enum call)call, root, seed, &request);
  }
}

/// Of memory that is nobody's but the MPI's, on several communicators.
static void host(void) {
  MPI_Comm copy, back;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &back);
  MPI_Comm_rank(back, &rank);
  each_call(-1, 1, back);
  each_call(-1, 2, back);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int seed = 0; seed < 3; ++seed) each_call(-1, seed, seed == 0 ? MPI_COMM_WORLD : copy);
  MPI_Comm_free(&back);  // the other one stays
}

/// The first rank and the last begin by turns.
static void turns(void) {
  for (int round = 0; round < rounds; ++round) each_call(round % 2 == 0 ? 0 : size - 1, round, MPI_COMM_WORLD);
}

/// The root is ahead of the others by all calls, of which it changes its mind now and then: it has numbers in a
/// row and apart by turns.
static void ahead(void) {
  enum { many = 2000, same = 70, few = block / 2 };
  static MPI_Request requests[many];
  static int apart[2 * few], came[few];
  MPI_Datatype every_other;
  MPI_Type_vector(few, 1, 2, MPI_INT, &every_other);
  MPI_Type_commit(&every_other);
  for (int i = 0; i < few; ++i) numbers[i] = apart[2 * i] = number(0, i, 3);
  if (rank != 0) MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int call = 0; call < many; ++call) {
    if (rank == 0) {
      const int is_apart = call / same % 2;
      MPI_Ibcast(is_apart ? apart : numbers, is_apart ? 1 : few, is_apart ? every_other : MPI_INT, 0, MPI_COMM_WORLD, &requests[call]);
      continue;
    }
    memset(came, -1, sizeof came);
    MPI_Ibcast(came, few, MPI_INT, 0, MPI_COMM_WORLD, &requests[call]);
    MPI_Wait(&requests[call], MPI_STATUS_IGNORE);
    if (memcmp(came, numbers, sizeof came) != 0) fail("broadcast", call, 0);
  }
  for (int to = 1; to < size && rank == 0; ++to) MPI_Send(NULL, 0, MPI_INT, to, 0, MPI_COMM_WORLD);
  MPI_Waitall(many, requests, MPI_STATUSES_IGNORE);
  MPI_Type_free(&every_other);
}

static void broadcast(int seed, MPI_Comm comm, MPI_Request* request) {
  for (int i = 0; i < block; ++i) numbers[i] = rank == seed % size ? number(0, i, seed) : -1;
  memory_write(received, numbers, block * sizeof(int));
  MPI_Ibcast(received, block, MPI_INT, seed % size, comm, request);
}
static void expect_broadcast(int seed, MPI_Request* request) {
  MPI_Wait(request, MPI_STATUS_IGNORE);
  memory_read(numbers, received, block * sizeof(int));
  for (int i = 0; i < block; ++i)
    if (numbers[i] != number(0, i, seed)) fail("broadcast", seed, i);
}

/// More communicators than have choices at a time: freed under way, and used by ranks in different orders, the
/// root first.
static void communicators(void) {
  enum { freed = 300, pairs = 20, uses = 6 };
  MPI_Request request;
  for (int k = 0; k < freed; ++k) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    broadcast(k, comm, &request);
    MPI_Comm_free(&comm);
    expect_broadcast(k, &request);
  }
  for (int k = 0; k < pairs; ++k) {
    MPI_Comm comms[2];
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    for (int use = 0; use < uses; ++use) {
      MPI_Request both[2];
      static int more[2][block];
      if (rank != 0) MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (int n = 0; n < 2; ++n) {
        const int which = (n + rank) % 2;
        for (int i = 0; i < block; ++i) more[which][i] = rank == 0 ? number(which, i, use) : -1;
        MPI_Ibcast(more[which], block, MPI_INT, 0, comms[which], &both[which]);
      }
      for (int to = 1; to < size && rank == 0; ++to) MPI_Send(NULL, 0, MPI_INT, to, 0, MPI_COMM_WORLD);
      MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
      for (int i = 0; i < 2 * block; ++i)
        if (more[i / block][i % block] != number(i / block, i % block, use)) fail("pair", k, i);
    }
    MPI_Comm_free(&comms[0]);
    MPI_Comm_free(&comms[1]);
  }
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > most) MPI_Abort(MPI_COMM_WORLD, 2);
  memory_kind(argc > 2 ? argv[2] : "host");
  sent = memory_get(sizeof numbers);
  received = memory_get(sizeof numbers);
  for (int i = 0; i < size; ++i) {
    counts[i] = block;
    places[i] = i * block;
  }
  if (strcmp(argv[1], "host") == 0) host();
  if (strcmp(argv[1], "turns") == 0) turns();
  if (strcmp(argv[1], "ahead") == 0) ahead();
  if (strcmp(argv[1], "communicators") == 0) communicators();
  if (rank == 0) fprintf(stderr, "all is right\n");
  memory_free(sent);
  memory_free(received);
  MPI_Finalize();
  return 0;
}
