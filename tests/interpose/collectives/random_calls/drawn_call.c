// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a call is made of: all ranks draw alike but for datatypes, gaps and kinds of memory.
#include "call.h"

#include <string.h>

/// Of which ranks blocks have lengths of their own.
enum lengths { same, of_sender, of_receiver, of_pair };

/// What all ranks know.
struct plan {
  uint64_t seed;
  enum lengths lengths;
  int symmetric;
  int unit;    ///< elements
  long units;  ///< of a block, at the most
};

static long length(const struct plan* p, int from, int to) {
  if (p->lengths == same || p->units == 0) return p->units * p->unit;
  if (p->symmetric && from > to) return length(p, to, from);
  const int pair = p->lengths == of_sender ? from : p->lengths == of_receiver ? to : from * most_ranks + to;
  const uint64_t random = mixed(p->seed, (uint64_t)pair);
  return random % 4 == 0 ? 0 : (long)((random >> 8) % (uint64_t)(p->units + 1)) * p->unit;
}

/// `of` gives it to `to`, which may be everybody; -1 (MPI_PROC_NULL too): nobody does.
static void add(struct side* s, int before, int after, long elements) {
  s->block[s->blocks++] = (struct block){.before = before, .after = after, .elements = elements};
}

static int is_rank(int peer) { return peer >= 0; }

/// One block, or one for each of the peers, to whom it goes as a whole or by parts.
static void add_sent(struct call* c, const struct plan* p, const int* peers, int n, int by_parts) {
  const int rank = c->group->rank;
  if (!by_parts) {
    const int whole = stream(rank, everybody);
    return add(&c->sent, whole, whole, length(p, rank, 0));
  }
  for (int i = 0; i < n; ++i) {
    const int part = is_rank(peers[i]) ? stream(rank, peers[i]) : nothing;
    add(&c->sent, part, part, is_rank(peers[i]) || p->lengths == same ? length(p, rank, peers[i]) : 0);
  }
}

static void add_received(struct call* c, const struct plan* p, const int* peers, int n, int by_parts) {
  const int rank = c->group->rank;
  for (int i = 0; i < n; ++i) {
    const int from = peers[i], to = by_parts ? rank : everybody;
    const int is_there = c->in_place && (by_parts || from == rank);
    const int before = !is_there ? nothing : by_parts ? stream(rank, from) : stream(rank, everybody);
    add(&c->received, before, is_rank(from) ? stream(from, to) : nothing,
        is_rank(from) || p->lengths == same ? length(p, from, rank) : 0);
  }
}

struct shape {
  enum lengths lengths;
  enum flavour sent, received;
  int from_root, to_root, by_parts;
};
static const struct shape shapes[] = {
    [bcast] = {same, even, even, 1, 0, 0},
    [gather] = {same, even, even, 0, 1, 0},
    [gatherv] = {of_sender, even, by_extents, 0, 1, 0},
    [scatter] = {same, even, even, 1, 0, 1},
    [scatterv] = {of_receiver, by_extents, even, 1, 0, 1},
    [allgather] = {same, even, even, 0, 0, 0},
    [allgatherv] = {of_sender, even, by_extents, 0, 0, 0},
    [alltoall] = {same, even, even, 0, 0, 1},
    [alltoallv] = {of_pair, by_extents, by_extents, 0, 0, 1},
    [alltoallw] = {of_pair, by_bytes, by_bytes, 0, 0, 1},
    [neighbor_allgather] = {same, even, even, 0, 0, 0},
    [neighbor_allgatherv] = {of_sender, even, by_extents, 0, 0, 0},
    [neighbor_alltoall] = {same, even, even, 0, 0, 1},
    [neighbor_alltoallv] = {of_pair, by_extents, by_extents, 0, 0, 1},
    [neighbor_alltoallw] = {of_pair, by_bytes, by_bytes, 0, 0, 1},
};

/// A few bytes as a rule, and at times many.
static long bytes_drawn(struct draw* d, long most) {
  int bits = 0;
  while (most >> bits > 1) ++bits;
  const long floor = 1L << below(d, below(d, bits + 1) + 1);
  const long bytes = one_in(d, 12) ? 0 : floor + (long)(drawn(d) % (uint64_t)floor);
  return bytes < most ? bytes : most;
}

static void draw_move(struct call* c, struct draw* d, long most) {
  static const int units[] = {1, 2, 3, 4, 5, 6, 8, 12, 15, 24, 30, 60, 64};
  const MPI_Datatype named[] = {MPI_BYTE, MPI_INT16_T, MPI_INT, MPI_DOUBLE};
  const int sizes[] = {1, 2, 4, 8}, which = below(d, 4);
  const struct shape* const shape = &shapes[c->kind];
  const struct group* const g = c->group;
  const long bytes = bytes_drawn(d, most);
  const int unit = units[below(d, (int)(sizeof units / sizeof *units))];
  const int is_rooted = shape->from_root || shape->to_root;
  const int many = c->kind != bcast ? g->size : 1;
  const struct plan p = {drawn(d), shape->lengths, c->in_place && shape->by_parts && !is_rooted, unit,
                         bytes / (sizes[which] * unit * many)};
  const struct outline outline = {named[which], unit, one_in(d, 4) ? 0 : bytes > 1 << 18 ? 1 : 3};
  // MPIs fail, or hang, where ranks have not the same (docs/guide/unchanged-limits.md).
  const int are_alike = c->kind == allgatherv || p.symmetric;
  struct draw own = {mixed(p.seed, 77 + (are_alike ? 0 : (uint64_t)g->rank))};
  const int is_root = g->rank == c->root;
  int all[most_ranks];
  for (int i = 0; i < g->size; ++i) all[i] = i;
  const int* const targets = is_of_neighbours(c->kind) ? g->targets : all;
  const int* const sources = is_of_neighbours(c->kind) ? g->sources : shape->from_root ? &c->root : all;
  const int targets_n = is_of_neighbours(c->kind) ? g->targets_n : shape->to_root ? 1 : g->size;
  const int sources_n = is_of_neighbours(c->kind) ? g->sources_n : shape->from_root ? 1 : g->size;
  const int replaces_sent = c->in_place && !shape->from_root && (is_root || !is_rooted);
  const int replaces_received = (c->in_place && shape->from_root && is_root) || (c->kind == bcast && is_root);
  if ((is_root || !shape->from_root) && !replaces_sent) {
    add_sent(c, &p, targets, targets_n, shape->by_parts);
    side_lay_out(&c->sent, &own, shape->sent, shape->by_parts ? p.units * unit : c->sent.block[0].elements,
                 &outline);
  }
  if ((is_root || !shape->to_root) && !replaces_received) {
    add_received(c, &p, sources, sources_n, shape->by_parts);
    const int is_single = c->kind == scatterv;
    side_lay_out(&c->received, &own, shape->received,
                 is_single ? c->received.block[0].elements : p.units * unit, &outline);
  }
}

/// As many numbers for each rank, in sum at most `all`.
static void share(struct call* c, uint64_t seed, long all) {
  const int ranks = c->group->size;
  c->reduced[ranks] = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    int numbers = (int)(all / ranks);
    const uint64_t random = mixed(seed, (uint64_t)rank);
    if (c->kind == reduce_scatter)
      numbers = random % 4 == 0 ? 0 : (int)((random >> 8) % (uint64_t)(numbers + 1));
#ifdef MPICH_VERSION  // 5.0.2 fails in place where a later share is longer than all before it (unchanged-limits.md)
    if (c->kind == reduce_scatter && c->in_place) {
      if (rank == 0) numbers = (int)(all / ranks);
      if (rank > 0 && numbers > c->reduced[ranks]) numbers = c->reduced[ranks];
    }
#endif
    c->reduced[rank] = numbers;
    c->reduced[ranks] += numbers;
  }
}

static void draw_reduction(struct call* c, struct draw* d, long most) {
  const struct group* const g = c->group;
  const int is_scattered = c->kind == reduce_scatter || c->kind == reduce_scatter_block;
  const int gets = c->kind != reduce || g->rank == c->root, own = stream(g->rank, everybody);
  const int is_in_place = c->in_place && gets;
  const uint64_t seed = drawn(d);
  struct draw own_draw = {mixed(seed, (uint64_t)g->rank + 77)};
  c->number = c->contents.number = number_drawn(d);
  const struct outline outline = {c->number->type, 1, 0};
  share(c, seed, bytes_drawn(d, most) / c->number->bytes);
  const long all = c->reduced[g->size], result = is_scattered ? c->reduced[g->rank] : all;
  const int last = c->kind == scan ? g->rank : c->kind == exscan ? g->rank - 1 : g->size - 1;
  if (!is_in_place) {
    add(&c->sent, own, own, all);
    side_lay_out(&c->sent, &own_draw, even, all, &outline);
  }
  if (!gets) return;
  const long there = is_in_place ? all : result;
  add(&c->received, is_in_place ? own : nothing, nothing, there);
  side_lay_out(&c->received, &own_draw, even, there, &outline);
  // Where the result replaces more numbers than it has, the rest is not defined.
  add(&c->received, nothing, last < 0 ? nothing : combined_up_to(last), result);
  struct block* const made = &c->received.block[1];
  made->count = (int)result;
  for (int rank = 0; rank < g->rank && is_scattered; ++rank) made->first += c->reduced[rank];
  c->received.loose_from = last < 0 ? 0 : result * c->number->bytes;
  c->received.loose_bytes = there * c->number->bytes - c->received.loose_from;
}

void call_draw(struct call* c, struct draw* d, const struct group* group, enum kind kind, long most) {
#ifdef OPEN_MPI  // of one rank 5.0.11 multiplies places in bytes by extents
  if (kind == alltoallw && group->size == 1) kind = alltoallv;
#endif
  memset(c, 0, sizeof *c);
  c->group = group;
  c->kind = kind;
  c->request = MPI_REQUEST_NULL;
  c->form = (enum form)below(d, forms);
  c->root = below(d, most_ranks * 3 * 5 * 7) % group->size;
  c->in_place = one_in(d, 3) && kind != bcast && !is_of_neighbours(kind);
#ifdef OPEN_MPI  // 5.0.11 does not end it
  if (kind == alltoallw && c->form != blocking) c->in_place = 0;
#endif
  if (is_reduction(kind))
    draw_reduction(c, d, most);
  else
    draw_move(c, d, most);
  c->is_made = 1;
  call_make_ready(c);
}
