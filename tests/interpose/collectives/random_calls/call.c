// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "call.h"

#include <stdio.h>
#include <stdlib.h>

static const char* const names[kinds] = {"bcast",
                                         "gather",
                                         "gatherv",
                                         "scatter",
                                         "scatterv",
                                         "allgather",
                                         "allgatherv",
                                         "alltoall",
                                         "alltoallv",
                                         "alltoallw",
                                         "neighbor_allgather",
                                         "neighbor_allgatherv",
                                         "neighbor_alltoall",
                                         "neighbor_alltoallv",
                                         "neighbor_alltoallw",
                                         "allreduce",
                                         "reduce",
                                         "reduce_scatter",
                                         "reduce_scatter_block",
                                         "scan",
                                         "exscan"};
static const char* const form_names[forms] = {"blocking", "nonblocking", "persistent"};

#define MAKE(blocks, goes_on, ...)                                          \
  (c->form == blocking      ? MPI_##blocks(__VA_ARGS__, comm)               \
   : c->form == nonblocking ? MPI_##goes_on(__VA_ARGS__, comm, &c->request) \
                            : MPI_##blocks##_init(__VA_ARGS__, comm, MPI_INFO_NULL, &c->request))

/// What MPI is told of a side.
struct arguments {
  void* buffer;
  int count;
  MPI_Datatype type;
};
static struct arguments arguments_of(struct side* s) {
  if (s->memory == NULL) return (struct arguments){NULL, 0, MPI_BYTE};
  return (struct arguments){s->begin, s->count, s->layouts > 0 ? s->items[0].type : MPI_BYTE};
}

static int make_move(struct call* c, struct arguments s, struct arguments r) {
  const MPI_Comm comm = c->group->comm;
  struct side *const ss = &c->sent, *const rs = &c->received;
  const int root = c->root;
  switch (c->kind) {
    case bcast: {
      const struct arguments one = c->group->rank == root ? s : r;
      return MAKE(Bcast, Ibcast, one.buffer, one.count, one.type, root);
    }
    case gather:
      return MAKE(Gather, Igather, s.buffer, s.count, s.type, r.buffer, r.count, r.type, root);
    case gatherv:
      return MAKE(Gatherv, Igatherv, s.buffer, s.count, s.type, r.buffer, rs->counts, rs->places, r.type,
                  root);
    case scatter:
      return MAKE(Scatter, Iscatter, s.buffer, s.count, s.type, r.buffer, r.count, r.type, root);
    case scatterv:
      return MAKE(Scatterv, Iscatterv, s.buffer, ss->counts, ss->places, s.type, r.buffer, r.count, r.type,
                  root);
    case allgather:
      return MAKE(Allgather, Iallgather, s.buffer, s.count, s.type, r.buffer, r.count, r.type);
    case allgatherv:
      return MAKE(Allgatherv, Iallgatherv, s.buffer, s.count, s.type, r.buffer, rs->counts, rs->places,
                  r.type);
    case alltoall:
      return MAKE(Alltoall, Ialltoall, s.buffer, s.count, s.type, r.buffer, r.count, r.type);
    case alltoallv:
      return MAKE(Alltoallv, Ialltoallv, s.buffer, ss->counts, ss->places, s.type, r.buffer, rs->counts,
                  rs->places, r.type);
    case alltoallw:
      return MAKE(Alltoallw, Ialltoallw, s.buffer, ss->counts, ss->byte_places, ss->types, r.buffer,
                  rs->counts, rs->byte_places, rs->types);
    case neighbor_allgather:
      return MAKE(Neighbor_allgather, Ineighbor_allgather, s.buffer, s.count, s.type, r.buffer, r.count,
                  r.type);
    case neighbor_allgatherv:
      return MAKE(Neighbor_allgatherv, Ineighbor_allgatherv, s.buffer, s.count, s.type, r.buffer, rs->counts,
                  rs->places, r.type);
    case neighbor_alltoall:
      return MAKE(Neighbor_alltoall, Ineighbor_alltoall, s.buffer, s.count, s.type, r.buffer, r.count,
                  r.type);
    case neighbor_alltoallv:
      return MAKE(Neighbor_alltoallv, Ineighbor_alltoallv, s.buffer, ss->counts, ss->places, s.type, r.buffer,
                  rs->counts, rs->places, r.type);
    default:
      return MAKE(Neighbor_alltoallw, Ineighbor_alltoallw, s.buffer, ss->counts, ss->wide, ss->types,
                  r.buffer, rs->counts, rs->wide, rs->types);
  }
}

static int make_reduction(struct call* c, struct arguments s, struct arguments r) {
  const MPI_Comm comm = c->group->comm;
  const MPI_Op op = c->number->op;
  const MPI_Datatype type = c->number->type;
  const int count = c->reduced[c->group->size], root = c->root;
  switch (c->kind) {
    case allreduce:
      return MAKE(Allreduce, Iallreduce, s.buffer, r.buffer, count, type, op);
    case reduce:
      return MAKE(Reduce, Ireduce, s.buffer, r.buffer, count, type, op, root);
    case reduce_scatter:
      return MAKE(Reduce_scatter, Ireduce_scatter, s.buffer, r.buffer, c->reduced, type, op);
    case reduce_scatter_block:
      return MAKE(Reduce_scatter_block, Ireduce_scatter_block, s.buffer, r.buffer, c->reduced[0], type, op);
    case scan:
      return MAKE(Scan, Iscan, s.buffer, r.buffer, count, type, op);
    default:
      return MAKE(Exscan, Iexscan, s.buffer, r.buffer, count, type, op);
  }
}

static int is_begun_in_place(const struct call* c) {
  const int is_root = c->group->rank == c->root;
  const int of_root_only = c->kind == gather || c->kind == gatherv || c->kind == scatter ||
                           c->kind == scatterv || c->kind == reduce;
  return c->in_place && (is_root || !of_root_only);
}

/// Of a persistent one, its request is made.
static void make(struct call* c) {
  struct arguments s = arguments_of(&c->sent), r = arguments_of(&c->received);
  if (is_begun_in_place(c)) {
    struct arguments* const omitted = c->kind == scatter || c->kind == scatterv ? &r : &s;
    omitted->buffer = MPI_IN_PLACE;
  }
  c->request = MPI_REQUEST_NULL;
  if ((is_reduction(c->kind) ? make_reduction(c, s, r) : make_move(c, s, r)) == MPI_SUCCESS) return;
  fprintf(stderr, "%s %s failed\n", form_names[c->form], names[c->kind]);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

void call_start(struct call* c) {
  if (c->form != persistent) return make(c);
  MPI_Start(&c->request);
}

void call_make_ready(struct call* c) {
  if (c->form == persistent) make(c);
}

void call_fill(struct call* c, uint64_t seed) {
  c->contents.seed = seed;
  side_fill(&c->sent, &c->contents);
  side_fill(&c->received, &c->contents);
}

static void tell(const struct call* c, const char* when) {
  fprintf(stderr, "%s: rank %d of %d: %s %s%s %s, root %d, %zu bytes to %zu bytes", when, c->group->rank,
          c->group->size, form_names[c->form], names[c->kind], c->in_place ? " in place" : "",
          c->number != NULL ? c->number->name : "", c->root, c->sent.bytes, c->received.bytes);
}

void call_tell(const struct call* c, const char* when) {
  flockfile(stderr);
  tell(c, when);
  fprintf(stderr, "\n");
  funlockfile(stderr);
}

void call_check(const struct call* c, const char* when) {
  const struct side* const sides[2] = {&c->sent, &c->received};
  for (int i = 0; i < 2; ++i) {
    const struct side* const s = sides[i];
    const long wrong = side_wrong(s, &c->contents);
    if (wrong < 0) continue;
    tell(c, when);
    fprintf(stderr, ": byte %ld of what is %s is wrong, the buffer begins at %ld\n", wrong,
            i == 0 ? "sent" : "received", (long)(s->begin - s->memory));
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

void call_free(struct call* c) {
  if (!c->is_made) return;
  if (c->request != MPI_REQUEST_NULL) MPI_Request_free(&c->request);
  side_free(&c->sent);
  side_free(&c->received);
  c->is_made = 0;
}
