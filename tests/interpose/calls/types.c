// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "types.h"

#include <stdlib.h>

const char* const type_names[types] = {
    "byte",    "duplicate of double", "contiguous", "bytes apart", "columns", "subarray",
    "indexed", "indexed block",       "hindexed",   "struct",      "gap",     "nested",
    "back",    "transposed",          "duplicate",  "absolute"};

static MPI_Datatype indexed_bytes(int bytes) {
  const int most = bytes + 1;
  int* lengths = malloc(2 * (size_t)most * sizeof(int));
  int *at = lengths + most, n = 0, sum = 0, end = 0;
  MPI_Datatype type;
  for (; sum < bytes; ++n) {
    lengths[n] = 1 + n * 5 % 7;
    if (lengths[n] > bytes - sum) lengths[n] = bytes - sum;
    at[n] = end + n % 3;
    end = at[n] + lengths[n];
    sum += lengths[n];
  }
  MPI_Type_indexed(n, lengths, at, MPI_CHAR, &type);
  free(lengths);
  return type;
}

static MPI_Datatype indexed_blocks(int blocks) {
  int* at = malloc(((size_t)blocks + 1) * sizeof(int));
  MPI_Datatype type;
  for (int i = 0; i < blocks; ++i) at[i] = 3 * i + i % 2;
  MPI_Type_create_indexed_block(blocks, 2, at, MPI_INT, &type);
  free(at);
  return type;
}

static MPI_Datatype hindexed(int blocks) {
  int* lengths = malloc(((size_t)blocks + 1) * sizeof(int));
  MPI_Aint* at = malloc(((size_t)blocks + 1) * sizeof(MPI_Aint));
  MPI_Datatype type;
  for (int i = 0; i < blocks; ++i) lengths[i] = 2, at[i] = 20 * (MPI_Aint)i + i % 4;
  MPI_Type_create_hindexed(blocks, lengths, at, MPI_SHORT, &type);
  free(at);
  free(lengths);
  return type;
}

/// {double, int[2], char[3]} with gaps between and behind, 19 bytes in 40.
static MPI_Datatype record(MPI_Aint displacement) {
  const int lengths[3] = {1, 2, 3};
  const MPI_Aint at[3] = {displacement, displacement + 16, displacement + 27};
  const MPI_Datatype parts[3] = {MPI_DOUBLE, MPI_INT, MPI_CHAR};
  MPI_Datatype fields, type;
  MPI_Type_create_struct(3, lengths, at, parts, &fields);
  MPI_Type_create_resized(fields, displacement, 40, &type);
  MPI_Type_free(&fields);
  return type;
}

/// Two arrays that have nothing to do with each other but to lie in memory, and are reached from MPI_BOTTOM.
static MPI_Datatype absolute(int ints, const char* where) {
  const int lengths[2] = {ints / 2, ints - ints / 2};
  MPI_Aint at[2];
  MPI_Datatype parts[2] = {MPI_INT, MPI_INT}, type;
  MPI_Get_address(where + 4 * (ints / 2) + 36, &at[0]);
  MPI_Get_address(where, &at[1]);
  if (ints % 2 != 0) at[0] += 4;
  MPI_Type_create_struct(2, lengths, at, parts, &type);
  return type;
}

static MPI_Datatype subarray(int rows) {
  const int sizes[2] = {rows + 2, 7}, part[2] = {rows, 4}, start[2] = {1, 2};
  MPI_Datatype type;
  if (rows == 0) {
    MPI_Type_contiguous(0, MPI_DOUBLE, &type);
  } else {
    MPI_Type_create_subarray(2, sizes, part, start, MPI_ORDER_C, MPI_DOUBLE, &type);
  }
  return type;
}

/// Of `outer` vectors of three shorts, 2 apart, one begins every 40 bytes.
static MPI_Datatype nested(int outer) {
  MPI_Datatype inner, type;
  MPI_Type_vector(3, 1, 2, MPI_SHORT, &inner);
  MPI_Type_create_hvector(outer, 1, 40, inner, &type);
  MPI_Type_free(&inner);
  return type;
}

/// A matrix of 8 columns, column by column.
static MPI_Datatype transposed(int rows) {
  MPI_Datatype column, type;
  MPI_Type_vector(rows, 1, 8, MPI_FLOAT, &column);
  MPI_Type_create_hvector(8, 1, 4, column, &type);
  MPI_Type_free(&column);
  return type;
}

static struct shape made(MPI_Datatype type, MPI_Datatype element, int elements, int count) {
  MPI_Type_commit(&type);
  return (struct shape){type, element, elements, count, 0};
}

struct shape shape_of(int kind, int bytes, const void* where) {
  MPI_Datatype type, inner;
  struct shape shape;
  switch (kind) {
    case 0:
      return (struct shape){MPI_BYTE, MPI_BYTE, 1, bytes, 0};
    case 1:
      MPI_Type_dup(MPI_DOUBLE, &type);  // is committed, as what it is made of
      return (struct shape){type, MPI_DOUBLE, 1, bytes / 8, 0};
    case 2:
      MPI_Type_contiguous(bytes, MPI_CHAR, &type);
      return made(type, MPI_CHAR, bytes, 1);
    case 3:
      MPI_Type_vector(bytes, 1, 3, MPI_CHAR, &type);
      return made(type, MPI_CHAR, bytes, 1);
    case 4:
      MPI_Type_vector(4, 1, 2, MPI_INT, &type);
      return made(type, MPI_INT, 4, bytes / 16);
    case 5:
      return made(subarray(bytes / 32), MPI_DOUBLE, bytes / 32 * 4, 1);
    case 6:
      return made(indexed_bytes(bytes), MPI_CHAR, bytes, 1);
    case 7:
      return made(indexed_blocks(bytes / 8), MPI_INT, bytes / 8 * 2, 1);
    case 8:
      return made(hindexed(bytes / 4), MPI_SHORT, bytes / 4 * 2, 1);
    case 9:
      return made(record(0), MPI_DATATYPE_NULL, 6, bytes / 19);
    case 10:
      MPI_Type_create_resized(MPI_INT, -8, 20, &type);
      return made(type, MPI_INT, 1, bytes / 4);
    case 11:
      return made(nested(bytes / 6), MPI_SHORT, bytes / 6 * 3, 1);
    case 12:
      MPI_Type_vector(bytes, 1, -2, MPI_CHAR, &type);
      return made(type, MPI_CHAR, bytes, 1);
    case 13:
      return made(transposed(bytes / 32), MPI_FLOAT, bytes / 32 * 8, 1);
    case 14:
      inner = record(-8);
      MPI_Type_dup(inner, &type);
      MPI_Type_free(&inner);
      return made(type, MPI_DATATYPE_NULL, 6, bytes / 19);
    default:
      shape = made(absolute(bytes / 4, where), MPI_INT, bytes / 4, 1);
      shape.absolute = 1;
      return shape;
  }
}
