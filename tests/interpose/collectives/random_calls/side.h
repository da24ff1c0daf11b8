// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "items.h"
#include "numbers.h"

#include <stddef.h>

enum { most_blocks = 16, nothing = -1 };

/// What elements are: bits of a seed, or numbers if `number` is not null.
struct contents {
  uint64_t seed;
  const struct number* number;
};
/// Whose elements: what a rank gives another one, or everybody; or numbers of ranks 0 to `last`, combined.
enum { everybody = 63, ranks_of_stream = 64, combined = 1 << 16 };
static inline int stream(int from, int to) { return from * ranks_of_stream + to; }
static inline int combined_up_to(int last) { return combined + last; }

/// A block of a buffer: elements of one stream, which are there before the call, and after it.
struct block {
  int before, after;  ///< streams, or nothing
  long first;         ///< element of them
  long elements;
  int items;  ///< its layout
  int count;
  long at;  ///< bytes
};

/// How the call names places.
enum flavour { even, by_extents, by_bytes };

/// The buffer of one side of a call, with guards around it, as MPI's arguments and as what it must hold.
struct side {
  int blocks, layouts, owns_types;
  struct block block[most_blocks];
  struct items items[most_blocks];
  int count;  ///< of each block, where all are even
  int counts[most_blocks], places[most_blocks], byte_places[most_blocks];
  MPI_Aint wide[most_blocks];
  MPI_Datatype types[most_blocks];
  long loose_from, loose_bytes;  ///< bytes after the call that nothing is known of
  unsigned char *memory, *begin;
  size_t bytes;
};

/// How memory is laid out. Ranks draw it for themselves.
struct outline {
  MPI_Datatype named;
  int elements;  ///< each block has a multiple of them
  int levels;    ///< of datatypes; 0: elements follow each other
};

/// Takes memory for blocks of which `before`, `after`, `first` and `elements` are known. Even ones have
/// `each` elements, which counts where there is no block, too.
void side_lay_out(struct side* side, struct draw* own, enum flavour flavour, long each,
                  const struct outline* outline);
void side_free(struct side* side);
void side_fill(const struct side* side, const struct contents* contents);
/// Where the first wrong byte of its memory is; -1: nowhere.
long side_wrong(const struct side* side, const struct contents* contents);
