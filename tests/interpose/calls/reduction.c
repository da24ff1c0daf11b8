// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collective calls that compute, with operations of MPI's and of the program's.
#include "collect.h"
#include "groups.h"

#include "../common/memory.h"
#include "../common/report.h"

#include <stdlib.h>
#include <string.h>

/// Scales: of numbers of which the library gives the MPI copies, and of such that ranks combine in shares by its messages, but for the types
/// and operations that it does not combine.
enum { small = 50, large = 20000, item_bytes = 32, most_items = large * most_peers };
static int items = small;
/// Of what MPI_Reduce_scatter gives a rank: some get nothing.
static int share_of(int rank) { return rank % 3 == 1 ? 0 : items - rank; }

/// What is reduced: at most `item_bytes` an item.
struct operand {
  const char* name;
  MPI_Datatype type;
  MPI_Op op;
  void (*value)(void* to, int number);
  int is_tried_large;
};

static void int_value(void* to, int number) { *(int*)to = number * 7919 % 1001 - 500; }
static void double_value(void* to, int number) { *(double*)to = number % 97 * 0.375; }
static void long_value(void* to, int number) { *(long long*)to = number * 1234567LL; }
static void complex_value(void* to, int number) { ((float*)to)[0] = number % 61 * 0.25F, ((float*)to)[1] = number % 31 - 15; }
/// Whose products are whole numbers that a double holds.
static void small_complex_value(void* to, int number) { ((double*)to)[0] = number % 5 - 2, ((double*)to)[1] = number % 3 - 1; }
static void bool_value(void* to, int number) { *(char*)to = (char)(number % 3 == 0); }
static void short_value(void* to, int number) { *(short*)to = (short)(number % 50); }
static void byte_value(void* to, int number) { *(unsigned char*)to = (unsigned char)(number * 37); }

struct double_int {
  double value;
  int place;
};
static void pair_value(void* to, int number) {
  struct double_int* pair = to;
  pair->value = number * 31 % 17;
  pair->place = number;
}

/// A point of a type with gaps between its parts and behind it.
struct point {
  double x;
  char color;
  int mass;
  char unused[8];
};
static void point_value(void* to, int number) {
  struct point* point = to;
  point->x = number % 13;
  point->color = (char)(number % 100);
  point->mass = number % 1000;
}
/// Adds up masses and keeps the larger x with its color. The order of the operands matters.
static void join(void* in, void* inout, int* length, MPI_Datatype* type) {
  const struct point* a = in;
  struct point* b = inout;
  (void)type;
  for (int i = 0; i < *length; ++i) {
    if (a[i].x >= b[i].x) b[i].x = a[i].x, b[i].color = a[i].color;
    b[i].mass = 2 * a[i].mass + b[i].mass;
  }
}

static MPI_Datatype point_type(void) {
  const int lengths[3] = {1, 1, 1};
  const MPI_Aint places[3] = {offsetof(struct point, x), offsetof(struct point, color), offsetof(struct point, mass)};
  const MPI_Datatype parts[3] = {MPI_DOUBLE, MPI_CHAR, MPI_INT};
  MPI_Datatype fields, type;
  MPI_Type_create_struct(3, lengths, places, parts, &fields);
  MPI_Type_create_resized(fields, 0, sizeof(struct point), &type);
  MPI_Type_commit(&type);
  MPI_Type_free(&fields);
  return type;
}

static char host[most_items * item_bytes];

static void fill(char* memory, const struct operand* o, int n, int seed) {
  MPI_Aint lb, extent;
  MPI_Type_get_extent(o->type, &lb, &extent);
  memset(host, 0x5a, (size_t)n * (size_t)extent);
  for (int i = 0; i < n; ++i) o->value(host + i * extent, seed + 3 * i + 1);
  memory_write(memory, host, (size_t)n * (size_t)extent);
}

static unsigned long hash(const char* memory, const struct operand* o, int n) {
  MPI_Aint lb, extent;
  unsigned long sum = 0;
  MPI_Type_get_extent(o->type, &lb, &extent);
  memory_read(host, memory, (size_t)n * (size_t)extent);
  for (MPI_Aint i = 0; i < n * extent; ++i) sum = sum * 1000003UL + (unsigned char)host[i];
  return sum;
}

enum reduction { allreduce, reduce, scan, exscan, scatter_block, scatter, reductions };
static const char* const reduction_names[] = {"allreduce", "reduce", "scan", "exscan", "reduce_scatter_block",
                                              "reduce_scatter"};

#if HAS_PERSISTENT_COLLECTIVES
#define PERSISTENT(call, ...) TWIN(call, __VA_ARGS__, MPI_INFO_NULL, request)
#else
#define PERSISTENT(call, ...) MPI_ERR_OTHER
#endif
#define REDUCTION(Name, Iname, ...)                              \
  (way == blocking      ? TWIN(MPI_##Name, __VA_ARGS__)          \
   : way == nonblocking ? TWIN(MPI_##Iname, __VA_ARGS__, request) \
                        : PERSISTENT(MPI_##Name##_init, __VA_ARGS__))

static int make_scatter(enum way way, const void* s, void* r, const struct operand* o, MPI_Comm comm, MPI_Request* request) {
  static int counts[most_peers];
  static MPI_Count large_counts[most_peers];
  for (int i = 0; i < most_peers; ++i) large_counts[i] = counts[i] = share_of(i);
#define SCATTER(suffix, counts)                                                                                     \
  (way == blocking      ? MPI_Reduce_scatter##suffix(s, r, counts, o->type, o->op, comm)                            \
   : way == nonblocking ? MPI_Ireduce_scatter##suffix(s, r, counts, o->type, o->op, comm, request)                  \
                        : PERSISTENT_SCATTER(suffix, counts))
#if HAS_PERSISTENT_COLLECTIVES
#define PERSISTENT_SCATTER(suffix, counts) \
  MPI_Reduce_scatter_init##suffix(s, r, counts, o->type, o->op, comm, MPI_INFO_NULL, request)
#else
#define PERSISTENT_SCATTER(suffix, counts) MPI_ERR_OTHER
#endif
#if MPI_VERSION >= 4
  if (world.large) return SCATTER(_c, large_counts);
#endif
  (void)large_counts;
  return SCATTER(, counts);
}

static int make(enum reduction which, enum way way, const void* s, void* r, const struct operand* o, MPI_Comm comm, int root,
                MPI_Request* request) {
  switch (which) {
    case allreduce:
      return REDUCTION(Allreduce, Iallreduce, s, r, items, o->type, o->op, comm);
    case reduce:
      return REDUCTION(Reduce, Ireduce, s, r, items, o->type, o->op, root, comm);
    case scan:
      return REDUCTION(Scan, Iscan, s, r, items, o->type, o->op, comm);
    case exscan:
      return REDUCTION(Exscan, Iexscan, s, r, items, o->type, o->op, comm);
    case scatter_block:
      return REDUCTION(Reduce_scatter_block, Ireduce_scatter_block, s, r, items, o->type, o->op, comm);
    default:
      return make_scatter(way, s, r, o, comm, request);
  }
}

static void try_reduction(enum reduction which, int in_place, const struct operand* o, char* s, char* r) {
  const int n = which == scatter || which == scatter_block ? items * world.size : items, root = world.size - 1;
  const void* sendbuf = in_place && (which != reduce || world.rank == root) ? MPI_IN_PLACE : s;
  // What of the result is not defined, as beside a block, is not looked at.
  const int defined = which == exscan && world.rank == 0            ? 0
                      : which == reduce && world.rank != root       ? 0
                      : which == scatter                            ? share_of(world.rank)
                                                                    : items;
  for (struct attempt a = first_attempt(); is_attempt(&a); next_attempt(&a)) {
    fill(s, o, n, 10 * world.rank);
    fill(r, o, n, 10 * world.rank + 5 * a.again);
    if (!a.again) a.code = make(which, a.way, sendbuf, r, o, world.comm, root, &a.request);
    complete_attempt(&a);
    report("%s %s%s %s%s: %s, %016lx %016lx", reduction_names[which], o->name, in_place ? " in place" : "", a.name,
           world.large ? " large" : "", error_text(a.code), hash(s, o, n), hash(r, o, defined));
  }
}

static void try_local(const struct operand* o, char* s, char* r) {
  fill(s, o, items, world.rank);
  fill(r, o, items, 7);
  const int code = TWIN(MPI_Reduce_local, s, r, items, o->type, o->op);
  report("reduce_local %s%s: %s, %016lx", o->name, world.large ? " large" : "", error_text(code), hash(r, o, items));
}

/// In large, MPI_Scan and MPI_Exscan are as in small.
static void try_operand(const struct operand* o, char* s, char* r) {
  for (int which = 0; which < reductions; ++which) {
    if (items == large && (which == scan || which == exscan)) continue;
    for (int in_place = 0; in_place < 2; ++in_place) try_reduction((enum reduction)which, in_place, o, s, r);
  }
  try_local(o, s, r);
}

/// Between rank 0 and all others.
static void between_groups(const struct operand* o, char* s, char* r) {
  MPI_Comm local, inter;
  const int alone = world.rank == 0;
  MPI_Comm_split(world.comm, alone, world.rank, &local);
  MPI_Intercomm_create(local, 0, world.comm, alone ? 1 : 0, 61, &inter);
  fill(s, o, items, 10 * world.rank);
  fill(r, o, items, 7);
  TWIN(MPI_Allreduce, s, r, items, o->type, o->op, inter);
  report("allreduce between groups %s%s: %016lx", o->name, world.large ? " large" : "", hash(r, o, items));
  fill(r, o, items, 7);
  TWIN(MPI_Reduce, s, r, items, o->type, o->op, alone ? MPI_ROOT : 0, inter);
  report("reduce between groups %s%s: %016lx", o->name, world.large ? " large" : "", hash(r, o, items));
  MPI_Comm_free(&inter);
  MPI_Comm_free(&local);
}

void group_reduction(void) {
  char *s = memory_get(sizeof host), *r = memory_get(sizeof host);
  MPI_Datatype points = point_type();
  MPI_Op joined;
  MPI_Datatype pair = MPI_DOUBLE_INT;
#if MPI_VERSION >= 5
  MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &pair);
#endif
  MPI_Op_create(join, 0, &joined);
  const struct operand tried[] = {{"int sum", MPI_INT, MPI_SUM, int_value, 1},
                                  {"int bxor", MPI_INT, MPI_BXOR, int_value, 1},
                                  {"double sum", MPI_DOUBLE, MPI_SUM, double_value, 1},
                                  {"double max", MPI_DOUBLE, MPI_MAX, double_value, 0},
                                  {"long long prod", MPI_LONG_LONG, MPI_PROD, long_value, 1},
                                  {"long long min", MPI_LONG_LONG, MPI_MIN, long_value, 1},
                                  {"complex sum", MPI_C_FLOAT_COMPLEX, MPI_SUM, complex_value, 1},
                                  {"short min", MPI_SHORT, MPI_MIN, short_value, 0},
                                  {"byte bor", MPI_BYTE, MPI_BOR, byte_value, 1},
                                  {"bool lxor", MPI_C_BOOL, MPI_LXOR, bool_value, 1},
                                  {"complex prod", MPI_C_DOUBLE_COMPLEX, MPI_PROD, small_complex_value, 1},
                                  {"double int maxloc", pair, MPI_MAXLOC, pair_value, 1},
                                  {"points", points, joined, point_value, 1}};
  for (size_t i = 0; i < sizeof tried / sizeof tried[0]; ++i) {
    items = small;
    try_operand(&tried[i], s, r);
    if (world.size > 1) between_groups(&tried[i], s, r);
    items = large;
    if (tried[i].is_tried_large) try_operand(&tried[i], s, r);
  }
  MPI_Op_free(&joined);
  MPI_Type_free(&points);
  memory_free(s);
  memory_free(r);
}
