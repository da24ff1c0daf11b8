// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "draw.h"

#include <mpi.h>

enum { most_number = 16 };  ///< bytes

/// A type of numbers and an operation that combines them exactly.
struct number {
  const char* name;
  MPI_Datatype type;
  MPI_Op op;
  int bytes;
  void (*make)(void* number, uint64_t random);
  void (*combine)(void* into, const void* next);  ///< in the order of ranks
};

void numbers_init(void);
void numbers_finalize(void);
const struct number* number_drawn(struct draw* d);
