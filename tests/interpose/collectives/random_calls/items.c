// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "items.h"

#include <string.h>

/// Copies of what a type is made of: `lengths[b]` of them in a row, from byte starts[b] on.
struct copies {
  int blocks, lengths[most_elements];
  MPI_Aint starts[most_elements];
};

static void put_together(struct items* items, const struct copies* copies, MPI_Datatype made) {
  struct items all = *items;
  MPI_Aint lb, extent;
  all.n = 0;
  for (int b = 0; b < copies->blocks; ++b)
    for (int j = 0; j < copies->lengths[b]; ++j)
      for (int i = 0; i < items->n; ++i)
        all.places[all.n++] = copies->starts[b] + j * items->extent + items->places[i];
  MPI_Type_free(&items->type);
  MPI_Type_get_extent(made, &lb, &extent);
  all.type = made;
  all.extent = extent;
  *items = all;
}

/// Some number that divides `n`.
static int divisor(struct draw* d, int n) {
  int wanted = 1 + below(d, n);
  while (n % wanted != 0) --wanted;
  return wanted;
}

/// Equal blocks of `length`, `stride` bytes apart.
static void regular(struct copies* c, int blocks, int length, MPI_Aint stride) {
  c->blocks = blocks;
  for (int b = 0; b < blocks; ++b) c->lengths[b] = length, c->starts[b] = b * stride;
}

/// Blocks of any length that make n in all, with gaps of whole units before them, at times not in order.
static void irregular(struct draw* d, struct copies* c, int n, MPI_Aint extent, MPI_Aint unit) {
  MPI_Aint at = 0;
  for (c->blocks = 0; n > 0; ++c->blocks) {
    const int length = 1 + below(d, n);
    at += below(d, 3) * unit;
    c->lengths[c->blocks] = length;
    c->starts[c->blocks] = at;
    at += length * extent;
    n -= length;
  }
  for (int b = c->blocks - 1; b > 0 && one_in(d, 2); --b) {
    const int other = below(d, b + 1), length = c->lengths[b];
    const MPI_Aint start = c->starts[b];
    c->lengths[b] = c->lengths[other], c->starts[b] = c->starts[other];
    c->lengths[other] = length, c->starts[other] = start;
  }
}

static void in_extents(const struct copies* c, MPI_Aint extent, int* places) {
  for (int b = 0; b < c->blocks; ++b) places[b] = (int)(c->starts[b] / extent);
}

/// A rectangle of n items within a larger one.
static MPI_Datatype subarray(struct draw* d, struct copies* c, int n, const struct items* items) {
  const int rows = divisor(d, n), columns = n / rows;
  const int starts[2] = {below(d, 2), below(d, 3)}, parts[2] = {rows, columns};
  const int sizes[2] = {starts[0] + rows + below(d, 2), starts[1] + columns + below(d, 2)};
  MPI_Datatype made;
  regular(c, rows, columns, sizes[1] * items->extent);
  for (int row = 0; row < rows; ++row) c->starts[row] += (starts[0] * sizes[1] + starts[1]) * items->extent;
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, items->type, &made);
  return made;
}

/// One more constructor, of n copies.
static void level(struct draw* d, struct items* items, int n) {
  const MPI_Datatype old = items->type;
  const int length = divisor(d, n), blocks = n / length;
  const MPI_Aint extent = items->extent, unit = items->element;
  int places[most_elements];
  MPI_Datatype made, types[most_elements];
  struct copies c;
  switch (below(d, 8)) {
    case 0:
      regular(&c, 1, n, 0);
      MPI_Type_contiguous(n, old, &made);
      break;
    case 1: {
      const int stride = length + below(d, 3);
      regular(&c, blocks, length, stride * extent);
      MPI_Type_vector(blocks, length, stride, old, &made);
      break;
    }
    case 2: {
      const MPI_Aint stride = length * extent + below(d, 4) * unit;
      regular(&c, blocks, length, stride);
      MPI_Type_create_hvector(blocks, length, stride, old, &made);
      break;
    }
    case 3:
      irregular(d, &c, n, extent, extent);
      in_extents(&c, extent, places);
      MPI_Type_indexed(c.blocks, c.lengths, places, old, &made);
      break;
    case 4:
      irregular(d, &c, n, extent, unit);
      MPI_Type_create_hindexed(c.blocks, c.lengths, c.starts, old, &made);
      break;
    case 5:
      regular(&c, blocks, length, length * extent);
      for (int b = 0; b < blocks; ++b) c.starts[b] += b * below(d, 2) * length * extent;
      for (int b = 1; b < blocks; ++b)  // no two at one place
        if (c.starts[b] < c.starts[b - 1] + length * extent) c.starts[b] = c.starts[b - 1] + length * extent;
      in_extents(&c, extent, places);
      MPI_Type_create_indexed_block(blocks, length, places, old, &made);
      break;
    case 6:
      irregular(d, &c, n, extent, unit);
      for (int b = 0; b < c.blocks; ++b) types[b] = old;
      MPI_Type_create_struct(c.blocks, c.lengths, c.starts, types, &made);
      break;
    default:
      made = subarray(d, &c, n, items);
  }
  put_together(items, &c, made);
}

/// The same with a gap behind it.
static void widen(struct items* items, int gap) {
  const struct copies once = {1, {1}, {0}};
  MPI_Aint lb, extent;
  MPI_Datatype made;
  MPI_Type_get_extent(items->type, &lb, &extent);
  MPI_Type_create_resized(items->type, lb, extent + (MPI_Aint)gap * items->element, &made);
  put_together(items, &once, made);
}

struct items items_drawn(struct draw* d, MPI_Datatype named, int elements, int levels) {
  struct items made = {MPI_DATATYPE_NULL, 1, 0, {0}, 0};
  MPI_Type_size(named, &made.element);
  made.extent = made.element;
  MPI_Type_dup(named, &made.type);
  while (made.n < elements) {
    const int left = elements / made.n;
    level(d, &made, --levels > 0 ? divisor(d, left) : left);
  }
  if (one_in(d, 4)) widen(&made, below(d, 3));
  MPI_Type_commit(&made.type);
  return made;
}

long items_span(const struct items* items, long count) {
  long last = 0;
  for (int i = 0; i < items->n; ++i) last = items->places[i] > last ? items->places[i] : last;
  return count == 0 ? 0 : (count - 1) * items->extent + last + items->element;
}
