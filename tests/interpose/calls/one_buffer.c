// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What MPIs refuse, and what they do not, where a rank receives what it sends: in calls of all ranks, of the root alone,
// and of nothing at all, which no MPI refuses. A call comes after each, which goes wrong where ranks have not made the
// same ones.
#include "collect.h"
#include "groups.h"

#include "../common/memory.h"
#include "../common/report.h"

enum { most_items = 40000 };

static MPI_Comm comm;
static MPI_Request request;
static int rank, size;
static int *all, *own;  // the block that this rank has for itself among those of all

static int others_follow;

static void tell(const char* name, int items, int code) {
  int sum = -1;
  if (request != MPI_REQUEST_NULL) MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  if (others_follow) MPI_Allreduce(&world.rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  report("%s of %d in one buffer: %s, then %d", name, items, error_text(code), sum);
}

#if HAS_PERSISTENT_COLLECTIVES
#define PERSISTENT(name, ...) tell(#name "_init", items, MPI_##name##_init(__VA_ARGS__, MPI_INFO_NULL, &request))
#else
#define PERSISTENT(name, ...)
#endif
#define EACH_FORM(name, small, ...)                             \
  tell(#name, items, MPI_##name(__VA_ARGS__));                  \
  tell("I" #small, items, MPI_I##small(__VA_ARGS__, &request)); \
  PERSISTENT(name, __VA_ARGS__)
#define OPERANDS all, all, items, MPI_INT, MPI_SUM

static void by_all(int items, int root) {
  (void)root;
  int counts[most_peers], places[most_peers];
  MPI_Datatype types[most_peers];
  for (int i = 0; i < size; ++i) counts[i] = items, places[i] = i * items, types[i] = MPI_INT;
  own = all + rank * items;
  EACH_FORM(Allreduce, allreduce, OPERANDS, comm);
  EACH_FORM(Scan, scan, OPERANDS, comm);
  EACH_FORM(Exscan, exscan, OPERANDS, comm);
  EACH_FORM(Reduce_scatter_block, reduce_scatter_block, OPERANDS, comm);
  EACH_FORM(Reduce_scatter, reduce_scatter, all, all, counts, MPI_INT, MPI_SUM, comm);
  EACH_FORM(Allgather, allgather, own, items, MPI_INT, all, items, MPI_INT, comm);
  EACH_FORM(Allgatherv, allgatherv, own, items, MPI_INT, all, counts, places, MPI_INT, comm);
  EACH_FORM(Alltoall, alltoall, all, items, MPI_INT, all, items, MPI_INT, comm);
  if (items == 0) return;  // MPICH asks for the counts' arrays here, and refuses one for both sides
  EACH_FORM(Alltoallv, alltoallv, all, counts, places, MPI_INT, all, counts, places, MPI_INT, comm);
  EACH_FORM(Alltoallw, alltoallw, all, counts, places, types, all, counts, places, types, comm);
}

static void by_the_root(int items, int root) {
  int counts[most_peers], places[most_peers];
  for (int i = 0; i < size; ++i) counts[i] = items, places[i] = i * items;
  own = all + rank * items;
  EACH_FORM(Reduce, reduce, OPERANDS, root, comm);
  EACH_FORM(Gather, gather, own, items, MPI_INT, all, items, MPI_INT, root, comm);
  EACH_FORM(Gatherv, gatherv, own, items, MPI_INT, all, counts, places, MPI_INT, root, comm);
  EACH_FORM(Scatter, scatter, all, items, MPI_INT, own, items, MPI_INT, root, comm);
  EACH_FORM(Scatterv, scatterv, all, counts, places, MPI_INT, own, items, MPI_INT, root, comm);
}

static void on(MPI_Comm given, void (*run)(int items, int root), int items) {
  MPI_Comm_dup(given, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int root = size - 1, of_root = run == by_the_root && items != 0;
  others_follow = !of_root;
  if (!of_root || rank == root) run(items, root);
  MPI_Comm_free(&comm);
}

void group_one_buffer(void) {
  if (world.large) return;
  const MPI_Comm handlers[] = {MPI_COMM_WORLD, MPI_COMM_SELF};
  for (int i = 0; i < 2; ++i) MPI_Comm_set_errhandler(handlers[i], MPI_ERRORS_RETURN);
  all = memory_get((size_t)world.size * most_items * sizeof(int));
  request = MPI_REQUEST_NULL;
  for (int items = 0; items <= most_items; items += items == 0 ? 100 : most_items - 100) {
    on(world.comm, by_all, items);
    on(MPI_COMM_SELF, by_the_root, items);
    if (items == 0) on(world.comm, by_the_root, items);
#ifndef OPEN_MPI  // which refuses none but of MPI_Reduce: others would be waited for
    if (items != 0) on(world.comm, by_the_root, items);
#endif
    others_follow = 0;
    tell("Reduce_local", items, MPI_Reduce_local(all, all, items, MPI_INT, MPI_SUM));
  }
  memory_free(all);
  for (int i = 0; i < 2; ++i) MPI_Comm_set_errhandler(handlers[i], MPI_ERRORS_ARE_FATAL);
}
