// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "group.h"
#include "side.h"

enum form { blocking, nonblocking, persistent, forms };
enum kind {
  bcast,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  neighbor_allgather,
  neighbor_allgatherv,
  neighbor_alltoall,
  neighbor_alltoallv,
  neighbor_alltoallw,
  allreduce,
  reduce,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  exscan,
  kinds
};
static inline int is_of_neighbours(enum kind kind) {
  return kind >= neighbor_allgather && kind <= neighbor_alltoallw;
}
static inline int is_reduction(enum kind kind) { return kind >= allreduce; }

/// A collective call of this rank with its buffers, to be made any number of times with other data.
struct call {
  const struct group* group;
  enum kind kind;
  enum form form;
  int root, in_place;
  const struct number* number;  ///< of a reduction; of each rank, and of all
  int reduced[most_ranks + 1];
  struct side sent, received;  ///< without memory: not this rank's, or in place
  struct contents contents;    ///< of now
  MPI_Request request;
  int is_made;
};

/// Collective: all ranks of the group draw alike. Of `most` bytes of a rank's data at the most.
void call_draw(struct call* call, struct draw* d, const struct group* group, enum kind kind, long most);
/// Collective: makes the request of a persistent one.
void call_make_ready(struct call* call);
/// Fills its memory.
void call_fill(struct call* call, uint64_t seed);
/// Begins or makes it: its request is then null if it is over.
void call_start(struct call* call);
/// Writes what it is to stderr.
void call_tell(const struct call* call, const char* when);
/// After it has ended. Ends the program if a byte of either buffer is wrong, and says that of `when`.
void call_check(const struct call* call, const char* when);
void call_free(struct call* call);
