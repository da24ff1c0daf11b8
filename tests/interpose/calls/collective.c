// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collective calls that the MPI makes, of which the library gives it copies of memory that it cannot take:
// data that moves, in one group and between two.
#include "collect.h"
#include "groups.h"

#include "../common/report.h"

#include <stdio.h>

/// A call's arguments.
struct task {
  const void* sendbuf;
  void* recvbuf;
  const struct part *s, *r;
  int sent, received;  ///< items a block, for the calls without counts of each rank
  int root;
  MPI_Comm comm;
};
typedef int (*call)(enum way way, const struct task* t, MPI_Request* request);

#if HAS_PERSISTENT_COLLECTIVES
#define PERSISTENT(call, ...) call(__VA_ARGS__, MPI_INFO_NULL, request)
#else
#define PERSISTENT(call, ...) MPI_ERR_OTHER
#endif
#define IN_WAY(Name, Iname, suffix, ...)                                     \
  (way == blocking      ? MPI_##Name##suffix(__VA_ARGS__)                    \
   : way == nonblocking ? MPI_##Iname##suffix(__VA_ARGS__, request)          \
                        : PERSISTENT(MPI_##Name##_init##suffix, __VA_ARGS__))
#if MPI_VERSION >= 4
#define IN_ANY_WAY(Name, Iname, ARGUMENTS) \
  (world.large ? IN_WAY(Name, Iname, _c, ARGUMENTS(V_C)) : IN_WAY(Name, Iname, , ARGUMENTS(V)))
#else
#define IN_ANY_WAY(Name, Iname, ARGUMENTS) IN_WAY(Name, Iname, , ARGUMENTS(V))
#endif
#define CALL(name, Name, Iname, ARGUMENTS)                                               \
  static int name(enum way way, const struct task* t, MPI_Request* request) {            \
    return IN_ANY_WAY(Name, Iname, ARGUMENTS);                                           \
  }

#define SENT t->sendbuf, t->sent, t->s->types[0]
#define RECEIVED t->recvbuf, t->received, t->r->types[0]
#define BCAST(V) t->recvbuf, t->received, t->r->types[0], t->root, t->comm
#define ROOTED(V) SENT, RECEIVED, t->root, t->comm
#define GATHERV(V) SENT, t->recvbuf, V(t->r), t->root, t->comm
#define SCATTERV(V) t->sendbuf, V(t->s), RECEIVED, t->root, t->comm
#define ALL(V) SENT, RECEIVED, t->comm
#define ALLGATHERV(V) SENT, t->recvbuf, V(t->r), t->comm
CALL(bcast, Bcast, Ibcast, BCAST)
CALL(gather, Gather, Igather, ROOTED)
CALL(gatherv, Gatherv, Igatherv, GATHERV)
CALL(scatter, Scatter, Iscatter, ROOTED)
CALL(scatterv, Scatterv, Iscatterv, SCATTERV)
CALL(allgather, Allgather, Iallgather, ALL)
CALL(allgatherv, Allgatherv, Iallgatherv, ALLGATHERV)
CALL(alltoall, Alltoall, Ialltoall, ALL)
CALL(neighbor_allgather, Neighbor_allgather, Ineighbor_allgather, ALL)
CALL(neighbor_allgatherv, Neighbor_allgatherv, Ineighbor_allgatherv, ALLGATHERV)
CALL(neighbor_alltoall, Neighbor_alltoall, Ineighbor_alltoall, ALL)

/// Makes it in each way, and reports. What is received into was filled by `seed` before.
static void make(const char* name, call call, const struct task* t, struct part* r, int seed) {
  for (struct attempt a = first_attempt(); is_attempt(&a); next_attempt(&a)) {
    part_fill(r, seed + a.again);
    if (!a.again) a.code = call(a.way, t, &a.request);
    complete_attempt(&a);
    report("%s %s%s: %s, %016lx %016lx", name, a.name, world.large ? " large" : "", error_text(a.code),
           part_hash(t->s), part_hash(r));
  }
}

/// `blocks` blocks of `items` items of a kind, one after the other.
static struct part even(int blocks, int kind, int items, int seed) {
  const int count = blocks * items;
  return part_of_items(1, kind, &count, seed);
}

/// Scales: of blocks of which the library gives the MPI copies, and of such that are its messages, or some of them where they are uneven.
enum { small = 1, large = 400 };

/// MPICH alone fails in MPI_Allgatherv, or hangs, where ranks have datatypes of different extents and a block has over 32 KiB: so where it is
/// given copies by some of them.
static int is_copied_as_it_is(int kind) {
  struct shape shape = shape_of(kind, 96, NULL);
  MPI_Aint lb, extent;
  int size = 0;
  MPI_Type_size(shape.type, &size);
  MPI_Type_get_extent(shape.type, &lb, &extent);
  if (shape.type != shape.element) MPI_Type_free(&shape.type);
  return extent == size;
}

/// Of what a rank has, where calls have uneven blocks.
static int items_of(int rank, int scale) { return scale * (1 + rank % 3); }

/// As many items in each block as its rank says.
static struct part uneven(int blocks, int kind, const int* ranks, int scale, int seed) {
  int counts[most_peers];
  for (int i = 0; i < blocks; ++i) counts[i] = items_of(ranks == NULL ? i : ranks[i] < 0 ? 0 : ranks[i], scale);
  return part_of_items(blocks, kind, counts, seed);
}

/// One call, with data of `kind`. `sends` and `receives`: blocks on either side; of the arrays of counts, by
/// rank, one is used where `v` says so.
struct shape_of_call {
  const char* name;
  call call;
  int sends, receives;
  enum { none, of_sends, of_receives } v;
  enum { not_in_place, sends_in_place, receives_in_place } in_place;  ///< where a buffer may say so, here
};

/// `scale`: of the numbers of items, which make a block of 96 to 288 bytes.
static void try_call(const struct shape_of_call* c, int kind, int scale, MPI_Comm comm, const int* ranks, int root) {
  const int items = 3 * scale;
  const int unit = shape_of(kind, 96, NULL).count;  // of MPI's items in one of ours; see part_of_items
  const int own = items_of(world.rank, scale);
  char name[100];
  for (int in_place = 0; in_place <= (c->in_place != not_in_place); ++in_place) {
    struct part s = c->v == of_sends ? uneven(c->sends, kind, ranks, scale, world.rank)
                                     : even(c->sends, kind, c->v == of_receives ? own : items, world.rank);
    struct part r = c->v == of_receives ? uneven(c->receives, kind, ranks, scale, 5)
                                        : even(c->receives, kind, c->v == of_sends ? own : items, 5);
    struct task t = {s.buf, r.buf, &s, &r, (c->v == of_receives ? own : items) * unit,
                     (c->v == of_sends ? own : items) * unit, root, comm};
    if (in_place && c->in_place == sends_in_place) t.sendbuf = MPI_IN_PLACE;
    if (in_place && c->in_place == receives_in_place) t.recvbuf = MPI_IN_PLACE;
    snprintf(name, sizeof name, "%s %s%s", c->name, type_names[kind], in_place ? " in place" : "");
    make(name, c->call, &t, &r, in_place || c->call == bcast ? 1000 + 10 * world.rank : 1000);
    part_free(&s);
    part_free(&r);
  }
}

static int is_forward(int kind) { return kind != 12 && kind != types - 1; }

static void in_a_group(int kind, int scale) {
  const int n = world.size, root = n - 1;
  const int at_root = world.rank == root;
  const struct shape_of_call tried[] = {
      {"bcast", bcast, 0, 1, none, not_in_place},
      {"gather", gather, 1, n, none, at_root ? sends_in_place : not_in_place},
      {"gatherv", gatherv, 1, n, of_receives, at_root ? sends_in_place : not_in_place},
      {"scatter", scatter, n, 1, none, at_root ? receives_in_place : not_in_place},
      {"scatterv", scatterv, n, 1, of_sends, at_root ? receives_in_place : not_in_place},
      {"allgather", allgather, 1, n, none, sends_in_place},
      {"allgatherv", allgatherv, 1, n, of_receives, sends_in_place},
      {"alltoall", alltoall, n, n, none, sends_in_place}};
  for (size_t i = 0; i < sizeof tried / sizeof tried[0]; ++i) {
    // All ranks make as many calls: those that may not say in place make the call in place with another.
    struct shape_of_call c = tried[i];
    if (c.call == allgatherv && scale == large && !is_copied_as_it_is(kind)) continue;
    try_call(&c, kind, scale, world.comm, NULL, root);
    if (c.in_place == not_in_place && i != 0) try_call(&c, kind, scale, world.comm, NULL, root);
  }
}

/// Rank 0 with all others, of whom the first is the root where there is one in their group.
static void between_groups(int kind) {
  MPI_Comm local, inter;
  const int alone = world.rank == 0, peers = alone ? world.size - 1 : 1;
  int ranks[most_peers];
  for (int i = 0; i < most_peers; ++i) ranks[i] = alone ? i + 1 : 0;
  MPI_Comm_split(world.comm, alone, world.rank, &local);
  MPI_Intercomm_create(local, 0, world.comm, alone ? 1 : 0, 60, &inter);
  for (int from_the_others = 0; from_the_others < 2; ++from_the_others) {
    const int in_group_of_root = alone != from_the_others;
    const int is_root = in_group_of_root && world.rank == (from_the_others ? 1 : 0);
    const int root = is_root ? MPI_ROOT : in_group_of_root ? MPI_PROC_NULL : 0;
    const struct shape_of_call tried[] = {{"bcast between groups", bcast, 0, 1, none, not_in_place},
                                          {"gather between groups", gather, 1, peers, none, not_in_place},
                                          {"gatherv between groups", gatherv, 1, peers, of_receives, not_in_place},
                                          {"scatter between groups", scatter, peers, 1, none, not_in_place},
                                          {"scatterv between groups", scatterv, peers, 1, of_sends, not_in_place}};
    for (size_t i = 0; i < sizeof tried / sizeof tried[0]; ++i) try_call(&tried[i], kind, small, inter, ranks, root);
  }
  const struct shape_of_call tried[] = {
      {"allgather between groups", allgather, 1, peers, none, not_in_place},
      {"allgatherv between groups", allgatherv, 1, peers, of_receives, not_in_place},
      {"alltoall between groups", alltoall, peers, peers, none, not_in_place}};
  for (size_t i = 0; i < sizeof tried / sizeof tried[0]; ++i) try_call(&tried[i], kind, small, inter, ranks, 0);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&local);
}

/// On a line: the ranks at its ends have neighbours that are nobody.
static void among_neighbors(int kind, int scale) {
  const int periodic = 0;
  const int ranks[2] = {world.rank > 0 ? world.rank - 1 : -1, world.rank + 1 < world.size ? world.rank + 1 : -1};
  const struct shape_of_call tried[] = {
      {"neighbor_allgather", neighbor_allgather, 1, 2, none, not_in_place},
      {"neighbor_allgatherv", neighbor_allgatherv, 1, 2, of_receives, not_in_place},
      {"neighbor_alltoall", neighbor_alltoall, 2, 2, none, not_in_place}};
  MPI_Comm line;
  MPI_Cart_create(world.comm, 1, &world.size, &periodic, 0, &line);
  for (size_t i = 0; i < sizeof tried / sizeof tried[0]; ++i) try_call(&tried[i], kind, scale, line, ranks, 0);
  MPI_Comm_free(&line);
}

/// In place of what it does not receive the caller gives no counts, and no displacements where the MPI allows that.
static int neighbor_allgatherv_of_none(enum way way, const struct task* t, MPI_Request* request) {
#ifdef OPEN_MPI
  const int* const places = t->r->at;
#else
  const int* const places = NULL;
#endif
  return IN_WAY(Neighbor_allgatherv, Ineighbor_allgatherv, , SENT, NULL, NULL, places, MPI_BYTE, t->comm);
}

/// From rank 0, which receives nothing, to all others.
static void from_one_neighbor(int kind, int scale) {
  enum { items = 3 };
  const int sends = world.rank == 0, receives = !sends, source = 0;
  int others[most_peers], weights[most_peers];
  for (int i = 0; i < most_peers; ++i) others[i] = i + 1, weights[i] = 1;
  MPI_Comm star;
  MPI_Dist_graph_create_adjacent(world.comm, receives, &source, weights, sends ? world.size - 1 : 0, others, weights, MPI_INFO_NULL, 0, &star);
  struct part s = even(1, kind, items * scale, world.rank), r = even(receives, kind, items * scale, 5);
  const int count = items * scale * shape_of(kind, 96, NULL).count;
  const struct task t = {s.buf, r.buf, &s, &r, count, count, 0, star};
  make("from one neighbor", sends ? neighbor_allgatherv_of_none : neighbor_allgatherv, &t, &r, 1000);
  part_free(&s);
  part_free(&r);
  MPI_Comm_free(&star);
}

/// So long that a root gives each of two other ranks a half, which they exchange; of datatypes that can be cut there, of one that cannot, and
/// of different ones of one signature.
static void long_broadcasts(void) {
  enum { items = 180000 };
  static const int kinds[][3] = {{0, 0, 0}, {9, 9, 9}, {1, 5, 5}};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
    const int kind = kinds[i][world.rank % 3];
    for (int root = 0; root < world.size; ++root) {
      struct part r = even(1, kind, items, 5);
      const struct task t = {NULL, r.buf, NULL, &r, 0, items * shape_of(kind, 96, NULL).count, root, world.comm};
      part_fill(&r, 1000 + 10 * world.rank);
      const int code = bcast(blocking, &t, NULL);
      report("long bcast from %d %s: %s, %016lx", root, type_names[kind], error_text(code), part_hash(&r));
      part_free(&r);
    }
  }
}

void group_collective(void) {
  if (!world.large) long_broadcasts();
  for (int kind = 0; kind < types; ++kind) {
    // The twins go the same way: with them some kinds do.
    if (!is_forward(kind) || (world.large && kind % 4 != 1)) continue;
    in_a_group(kind, small);
    if (kind == 0 || kind % 4 == 1) in_a_group(kind, large);
    if (world.size > 1 && kind % 4 == 1) between_groups(kind);
    if (kind % 4 == 3) among_neighbors(kind, small);
    if (kind % 4 == 3) among_neighbors(kind, large);
    if (kind % 4 == 3) from_one_neighbor(kind, small);
    if (kind % 4 == 3) from_one_neighbor(kind, large);
  }
}
