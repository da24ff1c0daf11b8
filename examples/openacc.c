// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// OpenACC with pointers of the accelerator in plain MPI calls, which the preload library takes. It is the two
// examples of paper 004, and a Jacobi solver whose ranks have some columns each and exchange them, strided, by
// a derived datatype. At the end it times messages, beside the way without such pointers: packed
// numbers of host memory. Without an accelerator OpenACC computes in host memory.
//
// usage: openacc, on two ranks or more
#include <mpi.h>
#include <openacc.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { length = 100000, rows = 64, columns = 32, width = columns + 2, steps = 200 };
enum { stride = 4, turns = 10 };

/// I: the program's own array, of which the MPI is given the place on the accelerator. Returns what is wrong.
static int own_array(int rank) {
  int wrong = 0;
  float* const in = malloc(length * sizeof *in);
  float* const out = malloc(length * sizeof *out);
  for (int i = 0; i < length; ++i) in[i] = (float)i;
#pragma acc data copyin(in[0 : length]) create(out[0 : length])
  {
    if (rank == 0) {
#pragma acc parallel loop present(in[0 : length], out[0 : length])
      for (int i = 0; i < length; ++i) out[i] = in[i] * 4.0f;
    }
#pragma acc host_data use_device(out)
    {
      if (rank == 0) MPI_Send(out, length, MPI_FLOAT, 1, 0, MPI_COMM_WORLD);
      if (rank == 1) MPI_Recv(out, length, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (rank < 2) {
#pragma acc parallel loop present(in[0 : length], out[0 : length]) reduction(+ : wrong)
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

/// Every fourth number of x from the `first` on goes to the peer, or comes from it.
static void pass(double* x, int first, MPI_Datatype numbers, int sends, int peer) {
#pragma acc host_data use_device(x)
  {
    if (sends) MPI_Send(x + first, 1, numbers, peer, 4, MPI_COMM_WORLD);
    if (!sends) MPI_Recv(x + first, 1, numbers, peer, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

/// The same with packed numbers in host memory, as one writes it for an MPI that knows only that.
static void pass_by_hand(double* x, int first, double* packed, int count, int sends, int peer) {
  if (sends) {
#pragma acc parallel loop present(x[0 : count * stride], packed[0 : count])
    for (int i = 0; i < count; ++i) packed[i] = x[i * stride + first];
#pragma acc update self(packed[0 : count])
    MPI_Send(packed, count, MPI_DOUBLE, peer, 4, MPI_COMM_WORLD);
  } else {
    MPI_Recv(packed, count, MPI_DOUBLE, peer, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma acc update device(packed[0 : count])
#pragma acc parallel loop present(x[0 : count * stride], packed[0 : count])
    for (int i = 0; i < count; ++i) x[i * stride + first] = packed[i];
  }
}

/// Microseconds of a message from rank 0 to rank 1, half a round trip, whose other half moves other numbers:
/// the fastest of some, since noise only adds. Without a type, by hand. Adds to `wrong`.
static double message_us(double* x, double* packed, int count, MPI_Datatype numbers, int rank, int* wrong) {
  const int peer = 1 - rank;
  double fastest = INFINITY;
  for (int turn = 0; turn < turns; ++turn) {
    const int base = 1000 * turn + rank;
#pragma acc parallel loop present(x[0 : count * stride])
    for (int i = 0; i < count * stride; ++i) x[i] = base + i;
    MPI_Sendrecv(NULL, 0, MPI_INT, peer, 5, NULL, 0, MPI_INT, peer, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const double begin = MPI_Wtime();
    for (int sender = 0; sender < 2; ++sender) {
      if (numbers != MPI_DATATYPE_NULL) pass(x, sender, numbers, rank == sender, peer);
      if (numbers == MPI_DATATYPE_NULL) pass_by_hand(x, sender, packed, count, rank == sender, peer);
    }
    fastest = fmin(fastest, MPI_Wtime() - begin);
    int differ = 0;
#pragma acc parallel loop present(x[0 : count * stride]) reduction(+ : differ)
    for (int i = 0; i < count * stride; ++i) differ += x[i] != base + i + (i % stride == peer) * (peer - rank);
    *wrong += differ;
  }
  return fastest / 2 * 1e6;
}

/// Between ranks 0 and 1. Returns how many numbers are wrong.
static int messages(int rank) {
  int wrong = 0;
  for (int count = 1 << 10; rank < 2 && count <= 1 << 20; count *= 32) {
    MPI_Datatype numbers;
    MPI_Type_vector(count, 1, stride, MPI_DOUBLE, &numbers);
    MPI_Type_commit(&numbers);
    double* const x = malloc((size_t)count * stride * sizeof *x);
    double* const packed = malloc((size_t)count * sizeof *packed);
    double us = 0, by_hand_us = 0;
#pragma acc data create(x[0 : count * stride], packed[0 : count])
    {
      us = message_us(x, packed, count, numbers, rank, &wrong);
      by_hand_us = message_us(x, packed, count, MPI_DATATYPE_NULL, rank, &wrong);
    }
    if (rank == 0) {
      printf("message of %zu bytes, us: pointers of the accelerator %.1f, packed in host memory %.1f\n",
             count * sizeof *x, us, by_hand_us);
    }
    free(x);
    free(packed);
    MPI_Type_free(&numbers);
  }
  return wrong;
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int accelerators = acc_get_num_devices(acc_device_not_host);
  if (accelerators > 0) acc_set_device_num(rank % accelerators, acc_device_not_host);
  double found[] = {own_array(rank), memory_of_accelerator(rank), jacobi(rank, ranks), 0};
  found[3] = messages(rank);
  MPI_Allreduce(MPI_IN_PLACE, found, 4, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("accelerators: %d\n", accelerators);
    printf("own array: %g wrong, memory of the accelerator: %g wrong, Jacobi: largest difference %g, messages: %g wrong\n",
           found[0], found[1], found[2], found[3]);
  }
  MPI_Finalize();
  return found[0] + found[1] + found[2] + found[3] != 0;
}
