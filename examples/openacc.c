// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// OpenACC with pointers of the accelerator in plain MPI calls, which the preload library takes. It is the two
// examples of paper 004, and a Jacobi solver whose ranks have some columns each and exchange them, strided, by
// a derived datatype. Without an accelerator OpenACC computes in host memory.
//
// usage: openacc, on two ranks or more
#include <mpi.h>
#include <openacc.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { length = 100000, rows = 64, columns = 32, width = columns + 2, steps = 200 };

/// I: the program's own array, of which the MPI is given the place on the accelerator. Returns what is wrong.
static int own_array(int rank) {
  int wrong = 0;
  float* const in = malloc(length * sizeof *in);
  float* const out = malloc(length * sizeof *out);
  for (int i = 0; i < length; ++i) in[i] = (float)i;
#pragma acc data copyin(in[0 : length]) create(out[0 : length])
  {
    if (rank == 0) {
#pragma acc parallel loop present(in, out)
      for (int i = 0; i < length; ++i) out[i] = in[i] * 4.0f;
    }
#pragma acc host_data use_device(out)
    {
      if (rank == 0) MPI_Send(out, length, MPI_FLOAT, 1, 0, MPI_COMM_WORLD);
      if (rank == 1) MPI_Recv(out, length, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (rank < 2) {
#pragma acc parallel loop present(in, out) reduction(+ : wrong)
      for (int i = 0; i < length; ++i) wrong += out[i] != in[i] * 4.0f;
    }
  }
  free(in);
  free(out);
  return wrong;
}

/// II: memory of the accelerator that the program allocates.
static int memory_of_accelerator(int rank) {
  int wrong = 0;
  char* const sent = acc_malloc(length);
  char* const received = acc_malloc(length);
#pragma acc parallel loop deviceptr(sent, received)
  for (int i = 0; i < length; ++i) {
    sent[i] = 'a';
    received[i] = 'b';
  }
  if (rank == 0) MPI_Send(sent, length, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(received, length, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const char expected = rank == 1 ? 'a' : 'b';
#pragma acc parallel loop deviceptr(received) reduction(+ : wrong)
  for (int i = 0; i < length; ++i) wrong += received[i] != expected;
  acc_free(sent);
  acc_free(received);
  return wrong;
}

/// One step of a plane that is `step` numbers wide, without its border.
static void relax(const double* now, double* next, int step) {
#pragma acc parallel loop collapse(2) present(now[0 : rows * step], next[0 : rows * step])
  for (int i = 1; i < rows - 1; ++i) {
    for (int j = 1; j < step - 1; ++j) {
      next[i * step + j] = 0.25 * (now[(i - 1) * step + j] + now[(i + 1) * step + j] + now[i * step + j - 1] +
                                   now[i * step + j + 1]);
    }
  }
}

static void exchange(double* plane, MPI_Datatype column, int west, int east) {
#pragma acc host_data use_device(plane)
  {
    MPI_Sendrecv(plane + 1, 1, column, west, 2, plane + width - 1, 1, column, east, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(plane + width - 2, 1, column, east, 3, plane, 1, column, west, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
}

/// Hot along the first row. With `neighbours` the plane is the part of this rank, else the whole.
static void solve(double* now, double* next, int step, const int* neighbours, MPI_Datatype column) {
  memset(now, 0, rows * (size_t)step * sizeof *now);
  for (int j = 0; j < step; ++j) now[j] = 100;
  memcpy(next, now, rows * (size_t)step * sizeof *now);
#pragma acc data copy(now[0 : rows * step], next[0 : rows * step])
  for (int i = 0; i < steps; ++i) {
    double* const from = i % 2 == 0 ? now : next;
    if (neighbours != NULL) exchange(from, column, neighbours[0], neighbours[1]);
    relax(from, i % 2 == 0 ? next : now, step);
  }
}

/// The largest difference from what one rank computes alone.
static double jacobi(int rank, int ranks) {
  const int whole = ranks * columns + 2;
  const int neighbours[] = {rank > 0 ? rank - 1 : MPI_PROC_NULL, rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL};
  MPI_Datatype column;
  MPI_Type_vector(rows, 1, width, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  double* const part = malloc(2 * rows * width * sizeof *part);
  double* const all = malloc(2 * rows * (size_t)whole * sizeof *all);
  solve(part, part + rows * width, width, neighbours, column);
  solve(all, all + rows * whole, whole, NULL, column);
  double difference = 0;
  for (int i = 0; i < rows; ++i) {
    for (int j = 1; j <= columns; ++j) {
      difference = fmax(difference, fabs(part[i * width + j] - all[i * whole + rank * columns + j]));
    }
  }
  free(part);
  free(all);
  MPI_Type_free(&column);
  return difference;
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  double found[] = {own_array(rank), memory_of_accelerator(rank), jacobi(rank, ranks)};
  MPI_Allreduce(MPI_IN_PLACE, found, 3, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("accelerators: %d\n", acc_get_num_devices(acc_device_not_host));
    printf("own array: %g wrong, memory of the accelerator: %g wrong, Jacobi: largest difference %g\n", found[0],
           found[1], found[2]);
  }
  MPI_Finalize();
  return found[0] + found[1] + found[2] != 0;
}
