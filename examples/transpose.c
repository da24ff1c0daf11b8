// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Transposes a matrix of which each rank has some rows: one exchange, without any buffer of this program's.
// Memory of a GPU would do as well as this host memory.
//
// usage: transpose [columns], a multiple of the number of ranks
#include <typewarp_mpi.h>

#include <stdio.h>
#include <stdlib.h>

static void check(tw_result result) {
  if (result == TW_SUCCESS) return;
  fprintf(stderr, "%s\n", tw_error_text());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static tw_plan* committed(tw_datatype* datatype) {
  tw_plan* plan;
  check(tw_plan_commit(datatype, &plan));
  tw_datatype_free(datatype);
  return plan;
}

/// A block of rows x rows numbers of a matrix with `columns`, column after column.
static tw_plan* by_column(int64_t rows, int64_t columns) {
  tw_datatype *column, *next_to_each_other, *block;
  check(tw_datatype_vector(rows, 1, columns, tw_datatype_named(TW_DOUBLE), &column));
  check(tw_datatype_resized(column, 0, sizeof(double), &next_to_each_other));
  check(tw_datatype_contiguous(rows, next_to_each_other, &block));
  tw_datatype_free(column);
  tw_datatype_free(next_to_each_other);
  return committed(block);
}

/// The same block, row after row.
static tw_plan* by_row(int64_t rows, int64_t columns) {
  tw_datatype* block;
  check(tw_datatype_vector(rows, rows, columns, tw_datatype_named(TW_DOUBLE), &block));
  return committed(block);
}

static void transpose(const double* from, double* to, int64_t rows, int ranks) {
  tw_plan* const columns_first = by_column(rows, rows * ranks);
  tw_plan* const rows_first = by_row(rows, rows * ranks);
  tw_send_part* const sends = malloc((size_t)ranks * sizeof *sends);
  tw_recv_part* const receives = malloc((size_t)ranks * sizeof *receives);
  for (int r = 0; r < ranks; ++r) {
    sends[r] = (tw_send_part){from + r * rows, 1, columns_first};
    receives[r] = (tw_recv_part){to + r * rows, 1, rows_first};
  }
  check(tw_alltoallw(ranks, sends, ranks, receives, MPI_COMM_WORLD, NULL));
  free(sends);
  free(receives);
  tw_plan_free(columns_first);
  tw_plan_free(rows_first);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int64_t columns = argc > 1 ? atoll(argv[1]) : 240;
  if (columns < 1 || columns % ranks != 0) {
    if (rank == 0) fprintf(stderr, "the number of ranks must divide the number of columns\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  const int64_t rows = columns / ranks;
  double* const from = malloc((size_t)(rows * columns) * sizeof *from);
  double* const to = malloc((size_t)(rows * columns) * sizeof *to);
  for (int64_t i = 0; i < rows * columns; ++i) from[i] = (double)(rank * rows * columns + i);

  tw_session* session;
  check(tw_session_create(MPI_COMM_WORLD, NULL, &session));
  transpose(from, to, rows, ranks);
  tw_session_free(session);

  int wrong = 0, wrong_anywhere;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      wrong += to[i * columns + j] != (double)(j * columns + rank * rows + i);
    }
  }
  MPI_Allreduce(&wrong, &wrong_anywhere, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%lld x %lld numbers, %d wrong\n", (long long)columns, (long long)columns, wrong_anywhere);
  free(from);
  free(to);
  MPI_Finalize();
  return wrong_anywhere != 0;
}
