// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "side.h"

#include "../../common/memory.h"

#include <stdlib.h>
#include <string.h>

enum { guard = 64 };

static void draw_items(struct side* side, struct draw* own, enum flavour flavour,
                       const struct outline* outline) {
  side->layouts = flavour == by_bytes ? side->blocks : 1;
  side->owns_types = outline->levels > 0;
  for (int i = 0; i < side->layouts; ++i) {
    const int elements = outline->levels > 0 && !one_in(own, 3) ? outline->elements : 1;
    if (outline->levels > 0) {
      side->items[i] = items_drawn(own, outline->named, elements, 1 + below(own, outline->levels));
    } else {  // as programs give named types
      side->items[i] = (struct items){outline->named, 1, 0, {0}, 0};
      MPI_Type_size(outline->named, &side->items[i].element);
      side->items[i].extent = side->items[i].element;
    }
  }
}

/// In turn, from any block on; with gaps, unless they are even.
static long place_blocks(struct side* side, struct draw* own, enum flavour flavour) {
  const int first = flavour != even && side->blocks > 0 ? below(own, side->blocks) : 0;
  long at = 0, end = 0;
  for (int k = 0; k < side->blocks; ++k) {
    const int i = (first + k) % side->blocks;
    struct block* const block = &side->block[i];
    const struct items* const items = &side->items[block->items];
    const long unit = flavour == by_bytes ? items->element : items->extent;
    if (flavour != even) at += below(own, 3) * unit;
    block->at = at;
    const long last = at + items_span(items, block->count);
    if (last > end) end = last;
    at += flavour == by_bytes ? (items_span(items, block->count) + unit - 1) / unit * unit
                              : block->count * items->extent;
  }
  return end;
}

static void tell_mpi(struct side* side, enum flavour flavour) {
  for (int i = 0; i < side->blocks; ++i) {
    const struct block* const block = &side->block[i];
    const struct items* const items = &side->items[block->items];
    side->counts[i] = block->count;
    side->types[i] = items->type;
    side->places[i] = flavour == by_extents ? (int)(block->at / items->extent) : 0;
    side->byte_places[i] = (int)block->at;
    side->wide[i] = block->at;
  }
}

void side_lay_out(struct side* side, struct draw* own, enum flavour flavour, long each,
                  const struct outline* outline) {
  draw_items(side, own, flavour, outline);
  for (int i = 0; i < side->blocks; ++i) {
    struct block* const block = &side->block[i];
    block->items = flavour == by_bytes ? i : 0;
    block->count = (int)(block->elements / side->items[block->items].n);
  }
  if (flavour == by_bytes && side->blocks == 0) {
    side->count = 0;
  } else {
    side->count = (int)(each / side->items[0].n);
  }
  const long end = place_blocks(side, own, flavour);
  const int element = side->layouts > 0 ? side->items[0].element : 1;
  const long shift = one_in(own, 3) ? below(own, 16 / element) * element : 0;
  tell_mpi(side, flavour);
  side->bytes = (size_t)(end + shift + 2 * guard);
  side->memory = memory_get_any((unsigned)drawn(own), side->bytes);
  side->begin = side->memory + guard + shift;
}

void side_free(struct side* side) {
  if (side->memory == NULL) return;
  for (int i = 0; i < side->layouts && side->owns_types; ++i) items_free(&side->items[i]);
  memory_free(side->memory);
  side->memory = NULL;
}

static void element(const struct contents* contents, int from, long i, int bytes, unsigned char* to) {
  if (contents->number == NULL) {
    const uint64_t bits = (contents->seed + (uint64_t)from * 1000003u + (uint64_t)i) * 0x9e3779b97f4a7c15u;
    memcpy(to, (const unsigned char*)&bits + 8 - bytes, (size_t)bytes);
    return;
  }
  const int last = from < combined ? 0 : from - combined;
  unsigned char next[most_number];
  for (int rank = 0; rank <= last; ++rank) {
    const int of = from < combined ? from : stream(rank, everybody);
    contents->number->make(rank == 0 ? to : next, mixed(contents->seed + (uint64_t)of, (uint64_t)i));
    if (rank > 0) contents->number->combine(to, next);
  }
}

static void put(const struct side* side, const struct block* block, int from, const struct contents* contents,
                unsigned char* begin) {
  const struct items* const items = &side->items[block->items];
  if (from == nothing) return;
  for (long j = 0, i = block->first; j < block->count; ++j) {
    unsigned char* const item = begin + block->at + j * items->extent;
    for (int k = 0; k < items->n; ++k) element(contents, from, i++, items->element, item + items->places[k]);
  }
}

/// All that its memory holds, for the caller to free.
static unsigned char* image(const struct side* side, const struct contents* contents, int is_after) {
  unsigned char* const all = malloc(side->bytes);
  if (all == NULL) abort();
  for (size_t i = 0; i < side->bytes; ++i) all[i] = (unsigned char)(i * 13 + 5 + contents->seed);
  for (int i = 0; i < side->blocks; ++i) {
    const struct block* const block = &side->block[i];
    put(side, block, is_after ? block->after : block->before, contents, all + (side->begin - side->memory));
  }
  return all;
}

void side_fill(const struct side* side, const struct contents* contents) {
  if (side->memory == NULL) return;
  unsigned char* const all = image(side, contents, 0);
  memory_write(side->memory, all, side->bytes);
  free(all);
}

long side_wrong(const struct side* side, const struct contents* contents) {
  long wrong = -1;
  if (side->memory == NULL) return wrong;
  unsigned char *const right = image(side, contents, 1), *const seen = malloc(side->bytes);
  if (seen == NULL) abort();
  memory_read(seen, side->memory, side->bytes);
  const long loose = side->begin - side->memory + side->loose_from;
  if (side->loose_bytes > 0) memcpy(right + loose, seen + loose, (size_t)side->loose_bytes);
  if (memcmp(right, seen, side->bytes) != 0)
    for (wrong = 0; right[wrong] == seen[wrong];) ++wrong;
  free(seen);
  free(right);
  return wrong;
}
