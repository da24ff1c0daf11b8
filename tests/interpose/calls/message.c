// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "message.h"

#include "../common/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct world world;

/// Around the numbers at which MPIs and what helps them change their ways.
const int message_sizes[sizes] = {0, 7, 500, 508, 509, 510, 4 << 10, 20 << 10, 1 << 20};

enum { guard = 64 };

/// A host copy of the memory of a side.
static void* copy_of(size_t bytes) {
  static void* copy = NULL;
  static size_t most = 0;
  if (bytes > most) {
    copy = realloc(copy, bytes);
    if (copy == NULL) abort();
    most = bytes;
  }
  return copy;
}

/// Of memory for so many bytes, in whole words.
static size_t rounded(size_t bytes) { return (bytes + 7) / 8 * 8; }

void side_fill(struct side* side, int seed) {
  uint64_t* copy = copy_of(side->bytes);
  uint64_t state = (uint64_t)seed + 1;
  for (size_t i = 0; i < side->bytes / 8; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    copy[i] = state ^ (state >> 32);
  }
  memory_write(side->memory, copy, side->bytes);
}

unsigned long side_hash(const struct side* side) {
  uint64_t* copy = copy_of(side->bytes);
  uint64_t hash = 1469598103934665603u;
  memory_read(copy, side->memory, side->bytes);
  for (size_t i = 0; i < side->bytes / 8; ++i) {
    hash = (hash ^ copy[i]) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return hash;
}

struct side side_of_elements(const struct shape* shape, int elements, int seed) {
  struct side side;
  int size = 0;
  side.shape = (struct shape){shape->element, shape->element, 1, elements, 0};
  side.count = elements;
  MPI_Type_size(shape->element, &size);
  side.bytes = rounded((size_t)elements * (size_t)size + 2 * guard);
  side.memory = memory_get(side.bytes);
  side.buf = side.memory + guard;
  side_fill(&side, seed);
  return side;
}

struct side side_of(int kind, int bytes, int items, int seed) {
  struct side side;
  MPI_Aint lb, extent, true_lb, true_extent;
  // An absolute type takes the bytes of its message and a gap, and is made once its memory is there.
  const int absolute = strcmp(type_names[kind], "absolute") == 0;
  if (absolute) {
    side.bytes = rounded((size_t)bytes + 2 * guard);
    side.memory = memory_get(side.bytes);
    side.shape = shape_of(kind, bytes, side.memory + guard);
    side.count = side.shape.count;
    side.buf = MPI_BOTTOM;
    side_fill(&side, seed);
    return side;
  }
  side.shape = shape_of(kind, bytes, NULL);
  side.count = side.shape.count + items;
  MPI_Type_get_extent(side.shape.type, &lb, &extent);
  MPI_Type_get_true_extent(side.shape.type, &true_lb, &true_extent);
  MPI_Aint low = true_lb, high = true_lb + true_extent;
  if (side.count > 1) {
    if (extent > 0) high += (side.count - 1) * extent;
    if (extent < 0) low += (side.count - 1) * extent;
  }
  int size = 0;
  MPI_Type_size(side.shape.type, &size);
  if (size == 0) low = high = 0;  // MPIs differ in the bounds of an empty type
  if (low > 0) low = 0;
  side.bytes = rounded((size_t)(high - low) + 2 * guard);
  side.memory = memory_get(side.bytes);
  side.buf = side.memory + guard - low;
  side_fill(&side, seed);
  return side;
}

void side_free(struct side* side) {
  memory_free(side->memory);
  if (side->shape.type != side->shape.element) MPI_Type_free(&side->shape.type);
}

static const char* name_of(int value, char* text) {
  if (value == MPI_ANY_SOURCE || value == MPI_ANY_TAG) return "any";
  if (value == MPI_PROC_NULL) return "none";
  sprintf(text, "%d", value);
  return text;
}

/// What MPI_Get_count and MPI_Get_elements say, -1 for MPI_UNDEFINED.
static void counts_of(MPI_Status* status, MPI_Datatype type, long counts[2]) {
#if MPI_VERSION >= 4
  if (world.large) {
    MPI_Count large[2];
    MPI_Get_count_c(status, type, &large[0]);
    MPI_Get_elements_c(status, type, &large[1]);
    for (int i = 0; i < 2; ++i) counts[i] = large[i] == MPI_UNDEFINED ? -1 : (long)large[i];
    return;
  }
#endif
  int small[2];
  MPI_Get_count(status, type, &small[0]);
  MPI_Get_elements(status, type, &small[1]);
  for (int i = 0; i < 2; ++i) counts[i] = small[i] == MPI_UNDEFINED ? -1 : small[i];
}

const char* status_text(MPI_Status* status, MPI_Datatype type) {
  static char texts[4][200];
  static int next = 0;
  char source[20], tag[20];
  int cancelled = 0;
  long counts[2];
  counts_of(status, type, counts);
  MPI_Test_cancelled(status, &cancelled);
  char* text = texts[next++ % 4];
  sprintf(text, "from %s tag %s count %ld elements %ld%s", name_of(status->MPI_SOURCE, source),
          name_of(status->MPI_TAG, tag), counts[0], counts[1], cancelled ? " cancelled" : "");
  return text;
}

const char* error_text(int code) {
  static const struct {
    int value;
    const char* name;
  } names[] = {{MPI_SUCCESS, "success"},       {MPI_ERR_BUFFER, "buffer"},   {MPI_ERR_COUNT, "count"},
               {MPI_ERR_TYPE, "type"},         {MPI_ERR_TAG, "tag"},         {MPI_ERR_COMM, "comm"},
               {MPI_ERR_RANK, "rank"},         {MPI_ERR_REQUEST, "request"}, {MPI_ERR_ARG, "arg"},
               {MPI_ERR_TRUNCATE, "truncate"}, {MPI_ERR_OTHER, "other"},     {MPI_ERR_INTERN, "intern"},
               {MPI_ERR_IN_STATUS, "status"},  {MPI_ERR_PENDING, "pending"}, {MPI_ERR_UNKNOWN, "unknown"},
               {MPI_ERR_ROOT, "root"}};
  int error_class = code;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &error_class);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    if (names[i].value == error_class) return names[i].name;
  }
  return "another class";
}
