// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "group.h"

/// Some of them in another order.
static MPI_Comm split_drawn(struct draw* d, MPI_Comm parent, int rank) {
  const uint64_t seed = drawn(d);
  const int colour = (int)(mixed(seed, (uint64_t)rank) % 2),
            key = (int)(mixed(seed + 1, (uint64_t)rank) % 64);
  MPI_Comm made;
  MPI_Comm_split(parent, colour, key, &made);
  return made;
}

/// Periodic where a rank is not its own neighbour, nor has one twice.
static MPI_Comm grid_drawn(struct draw* d, MPI_Comm parent, int size, struct group* g) {
  const int dimensions = 1 + below(d, 2);
  int extents[2] = {0, 0}, periodic[2];
  MPI_Comm made;
  MPI_Dims_create(size, dimensions, extents);
  for (int i = 0; i < dimensions; ++i) periodic[i] = extents[i] > 2 && below(d, 2);
  MPI_Cart_create(parent, dimensions, extents, periodic, 0, &made);
  for (int i = 0; i < dimensions; ++i) MPI_Cart_shift(made, i, 1, &g->sources[2 * i], &g->sources[2 * i + 1]);
  g->sources_n = g->targets_n = 2 * dimensions;
  for (int i = 0; i < g->sources_n; ++i) g->targets[i] = g->sources[i];
  return made;
}

static MPI_Comm graph_drawn(struct draw* d, MPI_Comm parent, int rank, int size, struct group* g) {
  static const int weights[most_neighbours];  // GCC warns of MPI_UNWEIGHTED
  const uint64_t seed = drawn(d);
  MPI_Comm made;
  for (int k = 0; k < size; ++k) {
    const int other = (k + 1 + rank) % size;
    if (mixed(seed, (uint64_t)(other * most_ranks + rank)) % 2) g->sources[g->sources_n++] = other;
    if (mixed(seed, (uint64_t)(rank * most_ranks + other)) % 2) g->targets[g->targets_n++] = other;
  }
  MPI_Dist_graph_create_adjacent(parent, g->sources_n, g->sources, weights, g->targets_n, g->targets, weights,
                                 MPI_INFO_NULL, 0, &made);
  return made;
}

struct group group_drawn(struct draw* d, enum topology topology, MPI_Comm parent) {
  struct group g = {.is_topology = topology == grid || topology == graph};
  int rank, size;
  MPI_Comm_rank(parent, &rank);
  MPI_Comm_size(parent, &size);
  switch (topology) {
    case split:
      g.comm = split_drawn(d, parent, rank);
      break;
    case grid:
      g.comm = grid_drawn(d, parent, size, &g);
      break;
    case graph:
      g.comm = graph_drawn(d, parent, rank, size, &g);
      break;
    default:
      MPI_Comm_dup(parent, &g.comm);
  }
  MPI_Comm_rank(g.comm, &g.rank);
  MPI_Comm_size(g.comm, &g.size);
  return g;
}

void group_free(struct group* group) { MPI_Comm_free(&group->comm); }
