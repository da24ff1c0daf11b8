// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Exchanges of each with each.
#include "collect.h"
#include "groups.h"

#include "../common/report.h"

#include <stdio.h>

static int alltoallw(enum way way, const void* sendbuf, const struct part* s, const struct part* r,
                     MPI_Comm comm, MPI_Request* request) {
  if (way == blocking) return EXCHANGE(MPI_Alltoallw, W);
#if HAS_PERSISTENT_COLLECTIVES
  if (way == persistent) return EXCHANGE(MPI_Alltoallw_init, W, , MPI_INFO_NULL, request);
#endif
  return EXCHANGE(MPI_Ialltoallw, W, , request);
}

static int alltoallv(enum way way, const void* sendbuf, const struct part* s, const struct part* r,
                     MPI_Comm comm, MPI_Request* request) {
  if (way == blocking) return EXCHANGE(MPI_Alltoallv, V);
#if HAS_PERSISTENT_COLLECTIVES
  if (way == persistent) return EXCHANGE(MPI_Alltoallv_init, V, , MPI_INFO_NULL, request);
#endif
  return EXCHANGE(MPI_Ialltoallv, V, , request);
}

/// Of the kinds those that are relative to a buffer: not the last.
static int kind_of(int from, int to, int seed) { return (5 * from + 3 * to + seed) % (types - 1); }
static int bytes_of(int from, int to, int seed) {
  return message_sizes[(from + 4 * to + 2 * seed) % (seed % 4 == 0 ? sizes : sizes - 1)];
}

static struct part side_w(int peers, int sends, int symmetric, int seed) {
  int kinds[most_peers], bytes[most_peers];
  for (int i = 0; i < peers; ++i) {
    const int first = symmetric ? 0
                      : sends   ? world.rank
                                : i,
              second = symmetric ? world.rank + i
                       : sends   ? i
                                 : world.rank;
    kinds[i] = kind_of(first, second, seed);
    bytes[i] = bytes_of(first, second, seed);
  }
  return part_of_types(peers, kinds, bytes, seed + 10 * world.rank + sends);
}

static void try_w(int seed) {
  char name[80];
  struct part s = side_w(world.size, 1, 0, seed), r = side_w(world.size, 0, 0, seed),
              both = side_w(world.size, 0, 1, seed);
  snprintf(name, sizeof name, "alltoallw %d", seed);
  exchange(name, alltoallw, &s, &r, world.comm);
  snprintf(name, sizeof name, "alltoallw %d in place", seed);
  exchange(name, alltoallw, NULL, &both, world.comm);
  part_free(&s);
  part_free(&r);
  part_free(&both);
}

static void try_absolute(int bytes) {
  char name[80];
  int sent[most_peers], received[most_peers], both[most_peers];
  for (int i = 0; i < world.size; ++i) {
    sent[i] = bytes * ((world.rank + 2 * i) % 3);
    received[i] = bytes * ((i + 2 * world.rank) % 3);
    both[i] = bytes * ((i + world.rank) % 3);
  }
  struct part s = part_of_absolutes(world.size, sent, world.rank),
              r = part_of_absolutes(world.size, received, 5),
              in_place = part_of_absolutes(world.size, both, 6);
  snprintf(name, sizeof name, "alltoallw absolute %d", bytes);
  exchange(name, alltoallw, &s, &r, world.comm);
  snprintf(name, sizeof name, "alltoallw absolute %d in place", bytes);
  exchange(name, alltoallw, NULL, &in_place, world.comm);
  part_free(&s);
  part_free(&r);
  part_free(&in_place);
}

/// What is nowhere before its buffer.
static int is_forward(int kind) { return kind != 12 && kind != types - 1; }

static void try_v(int kind) {
  char name[80];
  int sent[most_peers], received[most_peers], both[most_peers];
  for (int i = 0; i < world.size; ++i) {
    sent[i] = (world.rank + 2 * i) % 4 * (kind % 2 == 0 ? 50 : 1);
    received[i] = (i + 2 * world.rank) % 4 * (kind % 2 == 0 ? 50 : 1);
    both[i] = (i + world.rank) % 3;
  }
  struct part s = part_of_items(world.size, kind, sent, world.rank),
              r = part_of_items(world.size, kind, received, 5);
  struct part in_place = part_of_items(world.size, kind, both, 6);
  snprintf(name, sizeof name, "alltoallv %s", type_names[kind]);
  exchange(name, alltoallv, &s, &r, world.comm);
  snprintf(name, sizeof name, "alltoallv %s in place", type_names[kind]);
  exchange(name, alltoallv, NULL, &in_place, world.comm);
  part_free(&s);
  part_free(&r);
  part_free(&in_place);
}

/// Short and long blocks of one exchange, in memories that differ between the ends.
static void try_limit(int kind) {
  enum { kind_of_receives = 6 };
  char name[80];
  int kinds[most_peers], others[most_peers], sent[most_peers], received[most_peers], both[most_peers];
  for (int i = 0; i < world.size; ++i) {
    kinds[i] = kind;
    others[i] = kind_of_receives;
    sent[i] = bytes_at_limit(world.rank, i);
    received[i] = bytes_at_limit(i, world.rank);
    both[i] = bytes_at_limit(world.rank + i, 0);
  }
  struct part s = part_of_types(world.size, kinds, sent, world.rank),
              r = part_of_types(world.size, others, received, 5),
              in_place = part_of_types(world.size, kinds, both, 6);
  snprintf(name, sizeof name, "alltoallw %s at the limit", type_names[kind]);
  exchange(name, alltoallw, &s, &r, world.comm);
  snprintf(name, sizeof name, "alltoallw %s at the limit in place", type_names[kind]);
  exchange(name, alltoallw, NULL, &in_place, world.comm);
  part_free(&s);
  part_free(&r);
  part_free(&in_place);
  for (int i = 0; i < world.size; ++i) {
    sent[i] = items_at_limit(world.rank, i);
    received[i] = items_at_limit(i, world.rank);
  }
  s = part_of_items(world.size, kind, sent, world.rank);
  r = part_of_items(world.size, kind, received, 5);
  snprintf(name, sizeof name, "alltoallv %s at the limit", type_names[kind]);
  exchange(name, alltoallv, &s, &r, world.comm);
  part_free(&s);
  part_free(&r);
}

/// Rank 0 with all others, over an intercommunicator. Each counts the ranks of the other group only.
static void between_groups(void) {
  MPI_Comm local, inter;
  MPI_Comm_split(world.comm, world.rank == 0, world.rank, &local);
  MPI_Intercomm_create(local, 0, world.comm, world.rank == 0 ? 1 : 0, 50, &inter);
  const int peers = world.rank == 0 ? world.size - 1 : 1;
  int kinds[most_peers], bytes[most_peers];
  for (int i = 0; i < peers; ++i) kinds[i] = 3, bytes[i] = 4096;
  struct part s = part_of_types(peers, kinds, bytes, world.rank), r = part_of_types(peers, kinds, bytes, 7);
  MPI_Alltoallw(s.buf, W(&s), r.buf, W(&r), inter);
  report("alltoallw between groups: %016lx", part_hash(&r));
  part_free(&s);
  part_free(&r);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&local);
}

/// A rank makes its first call on a communicator when the rank before it has returned from its own.
static void one_rank_after_the_other(void) {
  MPI_Comm comm;
  MPI_Request request;
  struct part s = side_w(world.size, 1, 0, 1), r = side_w(world.size, 0, 0, 1);
  MPI_Comm_dup(world.comm, &comm);
  if (world.rank > 0) MPI_Recv(NULL, 0, MPI_BYTE, world.rank - 1, 51, comm, MPI_STATUS_IGNORE);
  alltoallw(nonblocking, s.buf, &s, &r, comm, &request);
  if (world.rank + 1 < world.size) MPI_Send(NULL, 0, MPI_BYTE, world.rank + 1, 51, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  report("alltoallw after the other: %016lx", part_hash(&r));
  part_free(&s);
  part_free(&r);
  MPI_Comm_free(&comm);
}

/// Persistent exchanges of two sizes and another one, which ranks start in orders of their own.
static void in_any_order(void) {
#if HAS_PERSISTENT_COLLECTIVES
  enum { exchanges = 3, rounds = 2 };
  struct part s[exchanges], r[exchanges];
  MPI_Request requests[exchanges];
  for (int i = 0; i < exchanges; ++i) {
    s[i] = side_w(world.size, 1, 0, 1 + i);
    r[i] = side_w(world.size, 0, 0, 1 + i);
  }
  for (int i = 0; i < 2; ++i) alltoallw(persistent, s[i].buf, &s[i], &r[i], world.comm, &requests[i]);
  for (int round = 0; round < rounds; ++round) {
    const int first = (world.rank + round) % 2;
    for (int i = 0; i < exchanges; ++i) part_fill(&r[i], 900 + i);
    MPI_Start(&requests[first]);
    alltoallw(nonblocking, s[2].buf, &s[2], &r[2], world.comm, &requests[2]);
    MPI_Start(&requests[1 - first]);
    MPI_Waitall(exchanges, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < exchanges; ++i) report("alltoallw %d in any order: %016lx", i, part_hash(&r[i]));
  }
  for (int i = 0; i < 2; ++i) MPI_Request_free(&requests[i]);
  for (int i = 0; i < exchanges; ++i) {
    part_free(&s[i]);
    part_free(&r[i]);
  }
#endif
}

/// Where there are no items MPICH, and what descends from it, take any datatype.
static void without_datatypes(void) {
#ifndef OPEN_MPI
  const int kept = (world.size - world.rank) % world.size;  // by both ends
  const struct part sent = side_w(world.size, 1, 0, 2), received = side_w(world.size, 0, 0, 2);
  struct part s = sent, r = received;
  for (int i = 0; i < world.size; ++i) {
    if (i == kept) continue;
    s.large_counts[i] = s.counts[i] = r.large_counts[i] = r.counts[i] = 0;
    s.types[i] = r.types[i] = MPI_DATATYPE_NULL;
  }
  exchange("alltoallw without datatypes", alltoallw, &s, &r, world.comm);
  s = sent;
  r = received;
  part_free(&s);
  part_free(&r);
#endif
}

/// The first exchange on a communicator, and other collective calls before it is waited for.
static void others_follow(int round) {
  enum { calls = 4 };
  MPI_Comm comm;
  MPI_Request requests[calls];
  int sent[most_peers], received[most_peers], ones[most_peers], places[most_peers], all[most_peers];
  int sum = -1, word = world.rank == 0 ? round : -1;
  MPI_Comm_dup(world.comm, &comm);
  for (int i = 0; i < world.size; ++i)
    sent[i] = 100 * world.rank + i, received[i] = all[i] = -1, ones[i] = 1, places[i] = i;
  MPI_Ialltoallv(sent, ones, places, MPI_INT, received, ones, places, MPI_INT, comm, &requests[0]);
  MPI_Iallreduce(&world.rank, &sum, 1, MPI_INT, MPI_SUM, comm, &requests[1]);
  MPI_Ibcast(&word, 1, MPI_INT, 0, comm, &requests[2]);
  MPI_Iallgather(&world.rank, 1, MPI_INT, all, 1, MPI_INT, comm, &requests[3]);
  MPI_Waitall(calls, requests, MPI_STATUSES_IGNORE);
  report("others follow: %d %d", sum, word);
  for (int i = 0; i < world.size; ++i) report("  %d %d", received[i], all[i]);
  MPI_Comm_free(&comm);
}

/// What some MPIs refuse, and what they refuse of it.
static void from_where_it_is_received(void) {
  int words[most_peers] = {0}, ones[most_peers], others[most_peers], places[most_peers], bytes[most_peers];
  MPI_Datatype all[most_peers];
  MPI_Comm comm;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm_dup(world.comm, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  for (int i = 0; i < world.size; ++i)
    ones[i] = others[i] = 1, places[i] = i, bytes[i] = 4 * i, all[i] = MPI_INT;
  report("Alltoallv in one buffer: %s",
         error_text(MPI_Alltoallv(words, ones, places, MPI_INT, words, ones, places, MPI_INT, comm)));
  report("Alltoallv in one buffer, other counts: %s",
         error_text(MPI_Alltoallv(words, ones, places, MPI_INT, words, others, places, MPI_INT, comm)));
  report("Alltoallw in one buffer: %s",
         error_text(MPI_Alltoallw(words, ones, bytes, all, words, ones, bytes, all, comm)));
  report("Ialltoallv in one buffer: %s", error_text(MPI_Ialltoallv(words, ones, places, MPI_INT, words, ones,
                                                                   places, MPI_INT, comm, &request)));
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&comm);
}

void group_alltoall(void) {
  from_where_it_is_received();
  for (int round = 0; round < 5; ++round) others_follow(round);
  one_rank_after_the_other();
  in_any_order();
  without_datatypes();
  for (int seed = 0; seed < 10; ++seed) try_w(seed);
  for (int kind = 0; kind < types; ++kind) {
    if (is_forward(kind)) try_v(kind);
  }
  for (int kind = 0; kind <= 3; kind += 3) try_limit(kind);
  for (int size = 1; size < sizes - 1; ++size) try_absolute(message_sizes[size] / 4 * 4);
  if (world.size > 1) between_groups();
}
