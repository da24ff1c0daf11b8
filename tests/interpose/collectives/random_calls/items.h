// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "draw.h"

#include <mpi.h>

enum { most_elements = 64 };

/// A datatype of some elements, and where they lie: its type map. No two lie at the same place, neither in
/// one item nor in several.
struct items {
  MPI_Datatype type;
  int n;        ///< elements of one item
  int element;  ///< bytes
  long places[most_elements], extent;
};

/// So many elements of the named type, by up to `levels` constructors, with gaps; committed. `elements` has
/// no prime factors but 2, 3 and 5, and is at most most_elements.
struct items items_drawn(struct draw* d, MPI_Datatype named, int elements, int levels);
static inline void items_free(struct items* items) { MPI_Type_free(&items->type); }
/// Bytes from the first item's place to the end of the last one.
long items_span(const struct items* items, long count);
