// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Exchanges with neighbours, of a graph and of lines and rings.
#include "collect.h"
#include "groups.h"

#include <stdio.h>

static int neighbor_w(enum way way, const void* sendbuf, const struct part* s, const struct part* r,
                      MPI_Comm comm, MPI_Request* request) {
  if (way == blocking) return EXCHANGE(MPI_Neighbor_alltoallw, NEIGHBOR_W);
#if HAS_PERSISTENT_COLLECTIVES
  if (way == persistent) return EXCHANGE(MPI_Neighbor_alltoallw_init, NEIGHBOR_W, , MPI_INFO_NULL, request);
#endif
  return EXCHANGE(MPI_Ineighbor_alltoallw, NEIGHBOR_W, , request);
}

static int neighbor_v(enum way way, const void* sendbuf, const struct part* s, const struct part* r,
                      MPI_Comm comm, MPI_Request* request) {
  if (way == blocking) return EXCHANGE(MPI_Neighbor_alltoallv, V);
#if HAS_PERSISTENT_COLLECTIVES
  if (way == persistent) return EXCHANGE(MPI_Neighbor_alltoallv_init, V, , MPI_INFO_NULL, request);
#endif
  return EXCHANGE(MPI_Ineighbor_alltoallv, V, , request);
}

/// What goes from one rank to another is the same on every edge between them.
static struct part side_w(int peers, const int* others, int sends, int seed) {
  int kinds[most_peers], bytes[most_peers];
  for (int i = 0; i < peers; ++i) {
    const int other = others[i] == MPI_PROC_NULL ? world.size : others[i];
    const int from = sends ? world.rank : other, to = sends ? other : world.rank;
    kinds[i] = (5 * from + 3 * to + seed) % (types - 1);
    bytes[i] = message_sizes[(from + 4 * to + seed) % (seed % 4 == 0 ? sizes : sizes - 1)];
  }
  return part_of_types(peers, kinds, bytes, seed + 10 * world.rank + sends);
}

static struct part side_at_limit(int peers, const int* others, int sends, int kind) {
  int kinds[most_peers], bytes[most_peers];
  for (int i = 0; i < peers; ++i) {
    const int other = others[i] == MPI_PROC_NULL ? world.size : others[i];
    kinds[i] = kind;
    bytes[i] = sends ? bytes_at_limit(world.rank, other) : bytes_at_limit(other, world.rank);
  }
  return part_of_types(peers, kinds, bytes, kind + 10 * world.rank + sends);
}

static struct part side_absolute(int peers, const int* others, int sends) {
  int bytes[most_peers];
  for (int i = 0; i < peers; ++i) {
    const int other = others[i] == MPI_PROC_NULL ? world.size : others[i];
    const int from = sends ? world.rank : other, to = sends ? other : world.rank;
    bytes[i] = message_sizes[(from + 4 * to) % (sizes - 1)] / 4 * 4;
  }
  return part_of_absolutes(peers, bytes, 10 * world.rank + sends);
}

static struct part side_v(int peers, const int* others, int sends, int kind) {
  int counts[most_peers];
  for (int i = 0; i < peers; ++i) {
    const int other = others[i] == MPI_PROC_NULL ? world.size : others[i];
    counts[i] = sends ? (world.rank + 2 * other) % 4 : (other + 2 * world.rank) % 4;
  }
  return part_of_items(peers, kind, counts, kind + 10 * world.rank + sends);
}

static void try_topology(const char* topology, MPI_Comm comm, int in, const int* sources, int out,
                         const int* destinations) {
  char name[80];
  for (int seed = 0; seed < 6; ++seed) {
    struct part s = side_w(out, destinations, 1, seed), r = side_w(in, sources, 0, seed);
    snprintf(name, sizeof name, "%s w %d", topology, seed);
    exchange(name, neighbor_w, &s, &r, comm);
    part_free(&s);
    part_free(&r);
  }
  struct part most = side_at_limit(out, destinations, 1, 3), into = side_at_limit(in, sources, 0, 6);
  snprintf(name, sizeof name, "%s w at the limit", topology);
  exchange(name, neighbor_w, &most, &into, comm);
  part_free(&most);
  part_free(&into);
  struct part from = side_absolute(out, destinations, 1), to = side_absolute(in, sources, 0);
  snprintf(name, sizeof name, "%s w absolute", topology);
  exchange(name, neighbor_w, &from, &to, comm);
  part_free(&from);
  part_free(&to);
  for (int kind = 0; kind < types - 1; kind += 3) {
    if (kind == 12) continue;
    struct part s = side_v(out, destinations, 1, kind), r = side_v(in, sources, 0, kind);
    snprintf(name, sizeof name, "%s v %s", topology, type_names[kind]);
    exchange(name, neighbor_v, &s, &r, comm);
    part_free(&s);
    part_free(&r);
  }
}

void group_neighbors(void) {
  const int sources[3] = {world.left, world.rank, world.right},
            destinations[3] = {world.right, world.left, world.rank};
  const int line_ends[2] = {world.rank > 0 ? world.rank - 1 : MPI_PROC_NULL,
                            world.rank + 1 < world.size ? world.rank + 1 : MPI_PROC_NULL};
  const int weights[3] = {1, 1, 1}, ring_neighbors[2] = {world.left, world.right};
  MPI_Comm graph, line, ring;
  MPI_Dist_graph_create_adjacent(world.comm, 3, sources, weights, 3, destinations, weights, MPI_INFO_NULL, 0,
                                 &graph);
  try_topology("graph", graph, 3, sources, 3, destinations);
  MPI_Comm_free(&graph);
  for (int periodic = 0; periodic < 2; ++periodic) {
    MPI_Comm* comm = periodic ? &ring : &line;
    const int* peers = periodic ? ring_neighbors : line_ends;
    MPI_Cart_create(world.comm, 1, &world.size, &periodic, 0, comm);
    try_topology(periodic ? "ring" : "line", *comm, 2, peers, 2, peers);
    MPI_Comm_free(comm);
  }
}
