// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls of three ranks that combine numbers, which statistics count; and calls without arrays, which the MPI refuses.
#include <mpi.h>
#include <stdio.h>

enum { numbers = 10 };

static int rank, from[3 * numbers], to[3 * numbers];

/// Of two groups, where the second rank of the first one has no part.
static void between_groups(void) {
  MPI_Comm own, both;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 2, rank, &own);
  MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, rank == 2 ? 0 : 2, 0, &both);
  const int root = rank == 0 ? MPI_ROOT : rank == 1 ? MPI_PROC_NULL : 0;
  MPI_Reduce(from, to, numbers, MPI_INT, MPI_SUM, root, both);
  MPI_Comm_free(&both);
  MPI_Comm_free(&own);
}

static void of_all(void) {
  const int counts[] = {numbers, 0, 2 * numbers};
  MPI_Request request;
  MPI_Allreduce(from, to, numbers, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Reduce_scatter_block(from, to, numbers, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Reduce_scatter(from, to, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Ireduce_scatter(from, to, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Reduce_local(from, to, numbers, MPI_INT, MPI_SUM);
}

/// Open MPI refuses it, other MPIs may read what is not there.
static void without_arrays(void) {
#ifdef OPEN_MPI
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (MPI_Alltoallv(from, NULL, NULL, MPI_INT, to, NULL, NULL, MPI_INT, MPI_COMM_WORLD) == MPI_SUCCESS ||
      MPI_Alltoallw(from, NULL, NULL, NULL, to, NULL, NULL, NULL, MPI_COMM_WORLD) == MPI_SUCCESS)
    MPI_Abort(MPI_COMM_WORLD, 1);
#endif
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  between_groups();
  of_all();
  without_arrays();
  MPI_Finalize();
  return 0;
}
