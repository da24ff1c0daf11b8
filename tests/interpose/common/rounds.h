// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What programs have in common whose ranks go through random rounds and check themselves.
#pragma once

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size, round_now;

static void expect(int right, const char* what) {
  if (right) return;
  fprintf(stderr, "rank %d, round %d: %s: wrong\n", rank, round_now, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
  exit(1);
}

static unsigned random_state;
static inline int below(int n) {
  random_state = random_state * 1664525u + 1013904223u;
  return (int)((random_state >> 8) % (unsigned)n);
}
