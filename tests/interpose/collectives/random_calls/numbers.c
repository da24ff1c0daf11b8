// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "numbers.h"

#include <string.h>

struct pair {
  int value, index;
};
/// x -> factor * x + term.
struct map {
  uint32_t factor, term;
};

#define TYPE(T, short_name, value)                           \
  static void make_##short_name(void* to, uint64_t random) { \
    const T made = (T)(value);                               \
    memcpy(to, &made, sizeof made);                          \
  }
#define COMBINE(T, name, expression)               \
  static void name(void* into, const void* next) { \
    T a, b;                                        \
    memcpy(&a, into, sizeof a);                    \
    memcpy(&b, next, sizeof b);                    \
    a = (T)(expression);                           \
    memcpy(into, &a, sizeof a);                    \
  }

// Sums of few small numbers are exact, whatever their order.
TYPE(int, int, (int)(random % 2001) - 1000)
TYPE(uint32_t, u32, random)
TYPE(uint64_t, u64, random)
TYPE(float, float, (int)(random % 201) - 100)
TYPE(double, double, (int)(random % 20001) - 10000)
TYPE(unsigned char, byte, random)
static void make_pair(void* to, uint64_t random) {
  const struct pair made = {(int)(random % 5), (int)(random >> 8 & 0xff)};
  memcpy(to, &made, sizeof made);
}

COMBINE(int, sum_int, a + b)
COMBINE(int, least_int, b < a ? b : a)
COMBINE(uint32_t, product_u32, a* b)
COMBINE(uint32_t, most_u32, b > a ? b : a)
COMBINE(uint64_t, sum_u64, a + b)
COMBINE(uint64_t, either_u64, a | b)
COMBINE(float, sum_float, a + b)
COMBINE(double, sum_double, a + b)
COMBINE(double, most_double, b > a ? b : a)
COMBINE(unsigned char, odd_byte, a ^ b)
static void most_pair(void* into, const void* next) {
  struct pair a, b;
  memcpy(&a, into, sizeof a);
  memcpy(&b, next, sizeof b);
  const int is_better = b.value > a.value || (b.value == a.value && b.index < a.index);
  if (is_better) memcpy(into, &b, sizeof b);
}
static void least_pair(void* into, const void* next) {
  struct pair a, b;
  memcpy(&a, into, sizeof a);
  memcpy(&b, next, sizeof b);
  const int is_better = b.value < a.value || (b.value == a.value && b.index < a.index);
  if (is_better) memcpy(into, &b, sizeof b);
}
static void make_map(void* to, uint64_t random) {
  const struct map made = {(uint32_t)random | 1, (uint32_t)(random >> 32)};
  memcpy(to, &made, sizeof made);
}
/// One after the other: it depends on the order.
static void chain_maps(void* into, const void* next) {
  struct map a, b;
  memcpy(&a, into, sizeof a);
  memcpy(&b, next, sizeof b);
  const struct map made = {a.factor * b.factor, b.factor * a.term + b.term};
  memcpy(into, &made, sizeof made);
}

static void chain_all(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) {
    struct map first = ((struct map*)in)[i];
    chain_maps(&first, (struct map*)inout + i);
    ((struct map*)inout)[i] = first;
  }
}

enum { kinds = 13 };
static struct number all[kinds];
static MPI_Op chain;
static MPI_Datatype map_type;

void numbers_init(void) {
  MPI_Type_contiguous(2, MPI_UINT32_T, &map_type);
  MPI_Type_commit(&map_type);
  MPI_Op_create(chain_all, 0, &chain);
  const struct number made[kinds] = {
      {"int sum", MPI_INT, MPI_SUM, 4, make_int, sum_int},
      {"int min", MPI_INT, MPI_MIN, 4, make_int, least_int},
      {"uint32 prod", MPI_UINT32_T, MPI_PROD, 4, make_u32, product_u32},
      {"uint32 max", MPI_UINT32_T, MPI_MAX, 4, make_u32, most_u32},
      {"uint64 sum", MPI_UINT64_T, MPI_SUM, 8, make_u64, sum_u64},
      {"uint64 bor", MPI_UINT64_T, MPI_BOR, 8, make_u64, either_u64},
      {"float sum", MPI_FLOAT, MPI_SUM, 4, make_float, sum_float},
      {"double sum", MPI_DOUBLE, MPI_SUM, 8, make_double, sum_double},
      {"double max", MPI_DOUBLE, MPI_MAX, 8, make_double, most_double},
      {"byte bxor", MPI_BYTE, MPI_BXOR, 1, make_byte, odd_byte},
      {"2int maxloc", MPI_2INT, MPI_MAXLOC, 8, make_pair, most_pair},
      {"2int minloc", MPI_2INT, MPI_MINLOC, 8, make_pair, least_pair},
      {"the program's own", map_type, chain, 8, make_map, chain_maps},
  };
  memcpy(all, made, sizeof made);
}

void numbers_finalize(void) {
  MPI_Op_free(&chain);
  MPI_Type_free(&map_type);
}

const struct number* number_drawn(struct draw* d) { return &all[below(d, kinds)]; }
