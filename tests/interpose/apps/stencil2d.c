// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// usage: stencil2d <kind of memory> [rows columns steps]
// A 5-point stencil on a field that is cut in both dimensions. Halos are exchanged by MPI calls alone, of a
// row and of a column: in turn by messages and by one call for all neighbours. Each rank does the whole
// without any neighbour too, and compares every bit.
#include "../common/memory.h"
#include "../common/report.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A part of the field with a halo of one around it; `cells` is the program's memory.
struct part {
  int rows, columns, first_row, first_column;
  double *cells, *next;
};

static double initial(int row, int column) { return (double)((row * 37 + column * 101) % 97) / 7; }

static size_t bytes_of(const struct part* part) {
  return (size_t)(part->rows + 2) * (size_t)(part->columns + 2) * sizeof(double);
}

static struct part part_of(int rows, int columns, int first_row, int first_column) {
  struct part part = {rows, columns, first_row, first_column, NULL, NULL};
  part.cells = calloc(1, bytes_of(&part));
  part.next = calloc(1, bytes_of(&part));
  for (int i = 1; i <= rows; ++i) {
    for (int j = 1; j <= columns; ++j) {
      part.cells[i * (columns + 2) + j] = initial(first_row + i - 1, first_column + j - 1);
    }
  }
  return part;
}

static void step(struct part* part) {
  const int width = part->columns + 2;
  memcpy(part->next, part->cells, bytes_of(part));
  for (int i = 1; i <= part->rows; ++i) {
    for (int j = 1; j <= part->columns; ++j) {
      const double* at = part->cells + i * width + j;
      part->next[i * width + j] = 0.5 * at[0] + 0.125 * (((at[-width] + at[width]) + at[-1]) + at[1]);
    }
  }
  double* cells = part->next;
  part->next = part->cells;
  part->cells = cells;
}

/// Neighbours are in the order of MPI_Neighbor_alltoallw: up, down, left, right.
static void exchange(double* field, const struct part* part, MPI_Comm grid, const int* neighbors,
                     MPI_Datatype row, MPI_Datatype column, int by_one_call) {
  const int width = part->columns + 2, counts[4] = {1, 1, 1, 1};
  const int sent[4] = {width + 1, part->rows * width + 1, width + 1, width + part->columns};
  const int received[4] = {1, (part->rows + 1) * width + 1, width, width + part->columns + 1};
  const MPI_Datatype types[4] = {row, row, column, column};
  if (by_one_call) {
    MPI_Aint from[4], to[4];
    for (int i = 0; i < 4; ++i)
      from[i] = sent[i] * (MPI_Aint)sizeof(double), to[i] = received[i] * (MPI_Aint)sizeof(double);
    MPI_Neighbor_alltoallw(field, counts, from, types, field, counts, to, types, grid);
    return;
  }
  MPI_Request requests[8];
  for (int i = 0; i < 4; ++i)
    MPI_Irecv(field + received[i], 1, types[i], neighbors[i], i ^ 1, grid, &requests[i]);
  for (int i = 0; i < 4; ++i)
    MPI_Isend(field + sent[i], 1, types[i], neighbors[i], i, grid, &requests[4 + i]);
  MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
}

static void expect_same(const struct part* part, const struct part* serial) {
  for (int i = 1; i <= part->rows; ++i) {
    const double* mine = part->cells + i * (part->columns + 2) + 1;
    const double* right =
        serial->cells + (part->first_row + i) * (serial->columns + 2) + part->first_column + 1;
    if (memcmp(mine, right, (size_t)part->columns * sizeof(double)) == 0) continue;
    fprintf(stderr, "row %d differs from the serial run\n", i - 1);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

int main(int argc, char** argv) {
  int ranks = 0, rank = 0, shape[2] = {0, 0}, at[2], neighbors[4];
  const int ends[2] = {0, 0};
  int numbers[3] = {60, 44, 12};
  MPI_Comm grid;
  MPI_Datatype row, column;
  if (argc < 2) return 2;
  for (int i = 2; i < argc && i < 5; ++i) numbers[i - 2] = atoi(argv[i]);
  memory_kind(argv[1]);
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 2, shape);
  MPI_Cart_create(MPI_COMM_WORLD, 2, shape, ends, 0, &grid);
  MPI_Comm_rank(grid, &rank);
  MPI_Cart_coords(grid, rank, 2, at);
  MPI_Cart_shift(grid, 0, 1, &neighbors[0], &neighbors[1]);
  MPI_Cart_shift(grid, 1, 1, &neighbors[2], &neighbors[3]);
  memory_device(rank);

  const int rows = numbers[0] / shape[0], columns = numbers[1] / shape[1];
  struct part part = part_of(rows, columns, at[0] * rows, at[1] * columns);
  struct part serial = part_of(rows * shape[0], columns * shape[1], 0, 0);
  double* field = memory_get(bytes_of(&part));
  MPI_Type_contiguous(columns, MPI_DOUBLE, &row);
  MPI_Type_vector(rows, 1, columns + 2, MPI_DOUBLE, &column);
  MPI_Type_commit(&row);
  MPI_Type_commit(&column);
  for (int i = 0; i < numbers[2]; ++i) {
    memory_write(field, part.cells, bytes_of(&part));
    exchange(field, &part, grid, neighbors, row, column, i % 2);
    memory_read(part.cells, field, bytes_of(&part));
    step(&part);
    step(&serial);
    expect_same(&part, &serial);
  }
  report("%d steps are as those of a serial run", numbers[2]);
  MPI_Type_free(&column);
  MPI_Type_free(&row);
  memory_free(field);
  report_all();
  MPI_Comm_free(&grid);
  MPI_Finalize();
  return 0;
}
