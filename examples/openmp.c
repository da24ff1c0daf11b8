// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// OpenMP with memory of its device in plain MPI calls, which the preload library takes, and in calls of the
// library from C. The last columns of each rank's matrix go to the first ones of the next rank. Without a
// device OpenMP computes in host memory. openacc.c has more of the kind.
//
// usage: openmp
#include <typewarp_mpi.h>

#include <omp.h>

#include <stdio.h>
#include <stdlib.h>

enum { rows = 1000, columns = 50, moved = 3, cells = rows * columns };

#pragma omp declare target
static double number(int rank, int cell) { return (double)rank * cells + cell; }
#pragma omp end declare target

static void shift_by_mpi(double* matrix, int previous, int next) {
  MPI_Datatype part;
  MPI_Type_vector(rows, moved, columns, MPI_DOUBLE, &part);
  MPI_Type_commit(&part);
  MPI_Sendrecv(matrix + columns - moved, 1, part, next, 0, matrix, 1, part, previous, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Type_free(&part);
}

static void check(tw_result result) {
  if (result == TW_SUCCESS) return;
  fprintf(stderr, "%s\n", tw_error_text());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void shift_by_library(double* matrix, int previous, int next) {
  tw_datatype* part;
  tw_plan* plan;
  check(tw_datatype_vector(rows, moved, columns, tw_datatype_named(TW_DOUBLE), &part));
  check(tw_plan_commit(part, &plan));
  check(tw_sendrecv(matrix + columns - moved, 1, plan, next, 0, matrix, 1, plan, previous, 0, MPI_COMM_WORLD,
                    NULL, NULL));
  tw_plan_free(plan);
  tw_datatype_free(part);
}

/// How many numbers of a matrix of the device are wrong when its columns have been shifted.
static int wrong_after(void (*shift)(double*, int, int), double* matrix, int rank, int ranks) {
  const int previous = (rank + ranks - 1) % ranks;
#pragma omp target teams distribute parallel for is_device_ptr(matrix)
  for (int i = 0; i < cells; ++i) matrix[i] = number(rank, i);
  shift(matrix, previous, (rank + 1) % ranks);
  int wrong = 0;
#pragma omp target teams distribute parallel for is_device_ptr(matrix) reduction(+ : wrong)
  for (int i = 0; i < cells; ++i) {
    const int has_come = i % columns < moved;
    wrong += matrix[i] != (has_come ? number(previous, i + columns - moved) : number(rank, i));
  }
  return wrong;
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int devices = omp_get_num_devices();
  if (devices > 0) omp_set_default_device(rank % devices);
  tw_session* session;
  check(tw_session_create(MPI_COMM_WORLD, NULL, &session));

  int wrong[2];
  // An array of the program, of which calls are given the place on the device.
  static double own[cells];
#pragma omp target data map(alloc : own)
#pragma omp target data use_device_addr(own)
  wrong[0] = wrong_after(shift_by_mpi, own, rank, ranks);
  // Memory of the device that the program allocates.
  double* const allocated = omp_target_alloc(cells * sizeof *allocated, omp_get_default_device());
  if (allocated == NULL) {
    fprintf(stderr, "rank %d: omp_target_alloc has no memory\n", rank);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  wrong[1] = wrong_after(shift_by_library, allocated, rank, ranks);
  omp_target_free(allocated, omp_get_default_device());

  tw_session_free(session);
  MPI_Allreduce(MPI_IN_PLACE, wrong, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("devices: %d\nby MPI: %d wrong, by the library: %d wrong\n", devices, wrong[0], wrong[1]);
  }
  MPI_Finalize();
  return wrong[0] + wrong[1] != 0;
}
