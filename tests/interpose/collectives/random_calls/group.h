// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "draw.h"

#include <mpi.h>

enum { most_ranks = 16, most_neighbours = 16 };
enum topology { plain, split, grid, graph, copy, topologies };

/// A communicator, and its neighbours, of which some may be MPI_PROC_NULL. No rank is twice on one side.
struct group {
  MPI_Comm comm;
  int rank, size, is_topology, sources_n, targets_n;
  int sources[most_neighbours], targets[most_neighbours];
};

/// Collective over `parent`, from which all ranks draw alike.
struct group group_drawn(struct draw* d, enum topology topology, MPI_Comm parent);
void group_free(struct group* group);
