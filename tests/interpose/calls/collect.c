// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collect.h"

#include "../common/memory.h"
#include "../common/report.h"

enum { guard = 64, item_bytes = 96, short_block = 508 };

int bytes_at_limit(int from, int to) {
  static const int bytes[] = {short_block, short_block + 1, 8, short_block - 1, 0, 3 * short_block};
  return bytes[(from + 4 * to) % 6];
}

int items_at_limit(int from, int to) {
  return bytes_at_limit(from, to) / item_bytes + (bytes_at_limit(from, to) > short_block);
}

/// The memory as a side, for what is done with memory as such.
static struct side whole(const struct part* part) {
  return (struct side){.memory = part->memory, .bytes = part->bytes};
}

void part_fill(struct part* part, int seed) {
  struct side side = whole(part);
  side_fill(&side, seed);
}

unsigned long part_hash(const struct part* part) {
  const struct side side = whole(part);
  return side_hash(&side);
}

static void get_memory(struct part* part, MPI_Aint end, int seed) {
  part->bytes = (size_t)(end + guard + 7) / 8 * 8;
  part->memory = memory_get(part->bytes);
  part_fill(part, seed);
}

static void add_type(struct part* part, const struct shape* shape) {
  part->types[part->made] = shape->type;
  part->elements[part->made++] = shape->element;
}

struct part part_of_types(int peers, const int* kinds, const int* bytes, int seed) {
  struct part part = {.peers = peers};
  MPI_Aint end = 0;
  for (int i = 0; i < peers; ++i) {
    const struct shape shape = shape_of(kinds[i], bytes[i], NULL);
    MPI_Aint lb, extent, low, length;
    int size = 0;
    add_type(&part, &shape);
    MPI_Type_size(shape.type, &size);
    MPI_Type_get_extent(shape.type, &lb, &extent);
    MPI_Type_get_true_extent(shape.type, &low, &length);
    if (size == 0 || shape.count == 0) low = length = extent = 0;
    part.long_at[i] = (end + guard - low + 15) / 16 * 16;
    end = part.long_at[i] + low + length + (shape.count > 1 ? (shape.count - 1) * extent : 0);
    part.at[i] = (int)part.long_at[i];
    part.large_counts[i] = part.counts[i] = shape.count;
  }
  get_memory(&part, end, seed);
  part.buf = part.memory;
  return part;
}

struct part part_of_items(int peers, int kind, const int* counts, int seed) {
  struct part part = {.peers = peers};
  const struct shape shape = shape_of(kind, item_bytes, NULL);
  MPI_Aint lb, extent, low, length;
  int end = 0;
  add_type(&part, &shape);
  MPI_Type_get_extent(shape.type, &lb, &extent);
  MPI_Type_get_true_extent(shape.type, &low, &length);
  for (int i = peers - 1; i >= 0; --i) {
    part.large_counts[i] = part.counts[i] = counts[i] * shape.count;
    part.long_at[i] = part.at[i] = end;
    end += part.counts[i] + 1;
  }
  get_memory(&part, guard + end * extent + low + length, seed);
  part.buf = part.memory + guard;
  return part;
}

struct part part_of_absolutes(int peers, const int* bytes, int seed) {
  struct part part = {.peers = peers, .buf = MPI_BOTTOM};
  MPI_Aint end = 0;
  for (int i = 0; i < peers; ++i) end += bytes[i] + 2 * guard;
  get_memory(&part, end, seed);
  const char* where = part.memory + guard;
  for (int i = 0; i < peers; ++i) {
    const struct shape shape = shape_of(types - 1, bytes[i], where);
    add_type(&part, &shape);
    part.large_counts[i] = part.counts[i] = shape.count;
    where += bytes[i] + 2 * guard;
  }
  return part;
}

void part_free(struct part* part) {
  memory_free(part->memory);
  for (int i = 0; i < part->made; ++i) {
    if (part->types[i] != part->elements[i]) MPI_Type_free(&part->types[i]);
  }
}

static const char* const way_names[] = {"", "I", "init"};

struct attempt first_attempt(void) {
  return (struct attempt){.way = blocking, .request = MPI_REQUEST_NULL, .name = way_names[blocking]};
}

int is_attempt(const struct attempt* attempt) { return (int)attempt->way < ways_to_exchange; }

void next_attempt(struct attempt* attempt) {
  if (attempt->way == persistent && !attempt->again) {
    attempt->again = 1;
    return;
  }
  if (attempt->request != MPI_REQUEST_NULL) MPI_Request_free(&attempt->request);
  attempt->again = 0;
  attempt->way = (enum way)(attempt->way + 1);
  if (is_attempt(attempt)) attempt->name = way_names[attempt->way];
}

void complete_attempt(struct attempt* attempt) {
  if (attempt->way == persistent) MPI_Start(&attempt->request);
  if (attempt->way != blocking) MPI_Wait(&attempt->request, MPI_STATUS_IGNORE);
}

void exchange(const char* name, exchange_call call, struct part* s, struct part* r, MPI_Comm comm) {
  for (struct attempt a = first_attempt(); is_attempt(&a); next_attempt(&a)) {
    part_fill(r, 1000 + a.again + (s == NULL ? world.rank : 0));
    if (!a.again) a.code = call(a.way, s == NULL ? MPI_IN_PLACE : s->buf, s == NULL ? r : s, r, comm, &a.request);
    complete_attempt(&a);
    report("%s %s%s: %s, %016lx", name, a.name, world.large ? " large" : "", error_text(a.code), part_hash(r));
  }
}
