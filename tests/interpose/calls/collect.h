// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "message.h"

enum { most_peers = 16 };

/// One side of an exchange of each with each of its peers, as arrays for all the calls: those with w take
/// bytes and a type of each peer, those with v count in items of the first type.
struct part {
  void* buf;  ///< what MPI is given
  char* memory;
  size_t bytes;  ///< of the memory
  int peers, made, counts[most_peers], at[most_peers];
  MPI_Count large_counts[most_peers];
  MPI_Aint long_at[most_peers];
  MPI_Datatype types[most_peers], elements[most_peers];
};

/// Messages of `kinds[i]` and `bytes[i]`, one a peer, for the calls with w.
struct part part_of_types(int peers, const int* kinds, const int* bytes, int seed);
/// `counts[i]` times an item of some bytes, for the calls with v. The kind is not one that reaches to before
/// its buffer.
struct part part_of_items(int peers, int kind, const int* counts, int seed);
/// Structs of absolute addresses of `bytes[i]`, one a peer, for the calls with w, which start at MPI_BOTTOM.
struct part part_of_absolutes(int peers, const int* bytes, int seed);
/// Some bytes of a block for each pair of ranks, most of them about the eager limit, where what is short ends.
int bytes_at_limit(int from, int to);
/// Items of part_of_items() that make such blocks.
int items_at_limit(int from, int to);
void part_fill(struct part* part, int seed);
unsigned long part_hash(const struct part* part);
void part_free(struct part* part);

#define V(part) (part)->counts, (part)->at, (part)->types[0]
#define W(part) (part)->counts, (part)->at, (part)->types
#define NEIGHBOR_W(part) (part)->counts, (part)->long_at, (part)->types
#define V_C(part) (part)->large_counts, (part)->long_at, (part)->types[0]
#define W_C(part) (part)->large_counts, (part)->long_at, (part)->types
#define NEIGHBOR_W_C(part) W_C(part)

/// call(sendbuf, ARRAYS(s), ..., comm, more...), or its twin.
#if MPI_VERSION >= 4
#define EXCHANGE(call, ARRAYS, ...)                                                        \
  (world.large ? call##_c(sendbuf, ARRAYS##_C(s), r->buf, ARRAYS##_C(r), comm __VA_ARGS__) \
               : call(sendbuf, ARRAYS(s), r->buf, ARRAYS(r), comm __VA_ARGS__))
#else
#define EXCHANGE(call, ARRAYS, ...) call(sendbuf, ARRAYS(s), r->buf, ARRAYS(r), comm __VA_ARGS__)
#endif
#if MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5
#define HAS_PERSISTENT_COLLECTIVES 1
#else
#define HAS_PERSISTENT_COLLECTIVES 0
#endif

/// How a call of the three of a kind is made: it blocks, it is waited for, or it is started twice.
enum way { blocking, nonblocking, persistent, ways_to_exchange = persistent + HAS_PERSISTENT_COLLECTIVES };
/// A call in each of these ways, one after the other; a persistent one is started once more by the last.
struct attempt {
  enum way way;
  int again;  ///< it was made before, and is only started
  MPI_Request request;
  int code;          ///< what the call returned
  const char* name;  ///< of the way
};
struct attempt first_attempt(void);
int is_attempt(const struct attempt* attempt);
void next_attempt(struct attempt* attempt);
/// Starts what is persistent, and waits for what does not block.
void complete_attempt(struct attempt* attempt);

/// One of the calls with v or w. `request` is for those that do not block.
typedef int (*exchange_call)(enum way way, const void* sendbuf, const struct part* s, const struct part* r,
                             MPI_Comm comm, MPI_Request* request);
/// Makes it in each way, with `s` or, if that is NULL, in place, and reports.
void exchange(const char* name, exchange_call call, struct part* s, struct part* r, MPI_Comm comm);
