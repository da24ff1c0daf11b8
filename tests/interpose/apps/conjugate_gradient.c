// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// usage: conjugate_gradient <kind of memory> [points per side of a rank]
// Solves Poisson's equation on a square that ranks share in both directions: halos of the search direction by
// MPI_Neighbor_alltoallw, and scalar products by MPI_Allreduce, all in memory of that kind. The answer is
// known.
#include "../common/memory.h"
#include "../common/report.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/// What a rank has of the grid: `side` x `side` points, and those around them.
struct part {
  MPI_Comm comm;
  int side, pitch, sides[2], place[2];
  MPI_Datatype types[4];
  MPI_Aint sent[4], kept[4];
  int counts[4];
};

/// Of the point in row i and column j of the part; beside the square all is 0.
static double answer(const struct part* part, int i, int j) {
  const int row = part->place[0] * part->side + i - 1, column = part->place[1] * part->side + j - 1;
  if (row < 0 || column < 0 || row >= part->sides[0] * part->side || column >= part->sides[1] * part->side)
    return 0;
  return (row * 7 + column * 3) % 11 - 5.0;
}

static int at(const struct part* part, int i, int j) { return i * part->pitch + j; }

/// Sides in the order of MPI_Neighbor_alltoallw: above, below, left, right.
static struct part part_of(int side) {
  struct part part = {.side = side, .pitch = side + 2, .counts = {1, 1, 1, 1}};
  const int periods[2] = {0, 0}, n = side;
  int ranks = 0, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 2, part.sides);
  MPI_Cart_create(MPI_COMM_WORLD, 2, part.sides, periods, 0, &part.comm);
  MPI_Comm_rank(part.comm, &rank);
  MPI_Cart_coords(part.comm, rank, 2, part.place);
  MPI_Type_contiguous(n, MPI_DOUBLE, &part.types[0]);
  MPI_Type_vector(n, 1, part.pitch, MPI_DOUBLE, &part.types[2]);
  MPI_Type_commit(&part.types[0]), MPI_Type_commit(&part.types[2]);
  part.types[1] = part.types[0], part.types[3] = part.types[2];
  const int sent[4] = {at(&part, 1, 1), at(&part, n, 1), at(&part, 1, 1), at(&part, 1, n)};
  const int kept[4] = {at(&part, 0, 1), at(&part, n + 1, 1), at(&part, 1, 0), at(&part, 1, n + 1)};
  for (int i = 0; i < 4; ++i) {
    part.sent[i] = sent[i] * (MPI_Aint)sizeof(double);
    part.kept[i] = kept[i] * (MPI_Aint)sizeof(double);
  }
  return part;
}

/// Of all ranks: `scalars` are two in memory of the kind, of which the second gets the sum.
static double sum(const struct part* part, double own, double* scalars) {
  double all = 0;
  memory_write(scalars, &own, sizeof own);
  MPI_Allreduce(scalars, scalars + 1, 1, MPI_DOUBLE, MPI_SUM, part->comm);
  memory_read(&all, scalars + 1, sizeof all);
  return all;
}

static double product(const struct part* part, const double* a, const double* b, double* scalars) {
  double own = 0;
  for (int i = 1; i <= part->side; ++i) {
    for (int j = 1; j <= part->side; ++j) own += a[at(part, i, j)] * b[at(part, i, j)];
  }
  return sum(part, own, scalars);
}

/// Of five points.
static void apply(const struct part* part, const double* x, double* result) {
  for (int i = 1; i <= part->side; ++i) {
    for (int j = 1; j <= part->side; ++j) {
      result[at(part, i, j)] = 4 * x[at(part, i, j)] - x[at(part, i - 1, j)] - x[at(part, i + 1, j)] -
                               x[at(part, i, j - 1)] - x[at(part, i, j + 1)];
    }
  }
}

/// Solves for `x`, from 0, where `rest` is the right side. Returns how far it is from 0 in the end.
static double solve(const struct part* part, double* x, double* rest, double* along, double* applied,
                    double* values, double* scalars, int most) {
  const int points = part->pitch * part->pitch;
  const size_t bytes = (size_t)points * sizeof(double);
  for (int k = 0; k < points; ++k) along[k] = rest[k];
  double length = product(part, rest, rest, scalars);
  for (int step = 0; step < most && length > 1e-20; ++step) {
    memory_write(values, along, bytes);
    MPI_Neighbor_alltoallw(values, part->counts, part->sent, part->types, values, part->counts, part->kept,
                           part->types, part->comm);
    memory_read(along, values, bytes);
    apply(part, along, applied);
    const double far = length / product(part, along, applied, scalars);
    for (int k = 0; k < points; ++k) x[k] += far * along[k], rest[k] -= far * applied[k];
    const double before = length;
    length = product(part, rest, rest, scalars);
    for (int k = 0; k < points; ++k) along[k] = rest[k] + length / before * along[k];
  }
  return length;
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  memory_kind(argv[1]);
  MPI_Init(&argc, &argv);
  struct part part = part_of(argc > 2 ? atoi(argv[2]) : 24);
  int rank = 0;
  MPI_Comm_rank(part.comm, &rank);
  memory_device(rank);
  const size_t points = (size_t)part.pitch * (size_t)part.pitch;
  double *x = calloc(points, sizeof *x), *rest = calloc(points, sizeof *x),
         *known = calloc(points, sizeof *x);
  double *along = calloc(points, sizeof *x), *applied = calloc(points, sizeof *x);
  double *values = memory_get(points * sizeof *x), *scalars = memory_get(2 * sizeof *x);
  for (int i = 0; i < part.pitch; ++i) {
    for (int j = 0; j < part.pitch; ++j) known[at(&part, i, j)] = answer(&part, i, j);
  }
  apply(&part, known, rest);
  const double left = solve(&part, x, rest, along, applied, values, scalars, 1000);
  double off = 0;
  for (int i = 1; i <= part.side; ++i) {
    for (int j = 1; j <= part.side; ++j) off = fmax(off, fabs(x[at(&part, i, j)] - known[at(&part, i, j)]));
  }
  if (off > 1e-8) {
    fprintf(stderr, "rank %d: off by %g, %g left\n", rank, off, left);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  report("solved on %d x %d ranks", part.sides[0], part.sides[1]);
  MPI_Type_free(&part.types[0]), MPI_Type_free(&part.types[2]);
  MPI_Comm_free(&part.comm);
  free(x), free(rest), free(known), free(along), free(applied);
  memory_free(values), memory_free(scalars);
  report_all();
  MPI_Finalize();
  return 0;
}
