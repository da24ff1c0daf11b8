// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "types.h"

#include <stddef.h>

/// The ranks as a ring, and how the calls are to be made.
struct world {
  MPI_Comm comm;
  int rank, size, left, right;
  int large;  ///< the calls that have a `_c` twin are made by it
};
extern struct world world;

/// call(...) or its twin, where this MPI has twins.
#if MPI_VERSION >= 4
#define TWIN(call, ...) (world.large ? call##_c(__VA_ARGS__) : call(__VA_ARGS__))
#else
#define TWIN(call, ...) call(__VA_ARGS__)
#endif

/// One side of a message: items of a type in a memory of its own, with bytes around and between them that
/// nobody may touch.
struct side {
  struct shape shape;
  void* buf;  ///< what MPI is given
  int count;  ///< of items, likewise
  char* memory;
  size_t bytes;  ///< of the memory
};

/// Memory in which `items` items more than make `bytes` have place. `seed` says what is in it.
struct side side_of(int kind, int bytes, int items, int seed);
/// Memory of so many elements of a type, one behind the other.
struct side side_of_elements(const struct shape* shape, int elements, int seed);
void side_free(struct side* side);
void side_fill(struct side* side, int seed);
/// Of all bytes of the memory.
unsigned long side_hash(const struct side* side);

/// Source, tag, count, elements, and whether it was cancelled, as text that is overwritten by the fourth next
/// call.
const char* status_text(MPI_Status* status, MPI_Datatype type);
/// The class of an error code.
const char* error_text(int code);
/// The sizes of messages that are tried, in bytes.
enum { sizes = 9 };
extern const int message_sizes[sizes];
