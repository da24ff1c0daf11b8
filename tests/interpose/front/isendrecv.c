// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// MPI_Isendrecv and MPI_Isendrecv_replace in a ring, with types that are consecutive and ones that are not,
// also from and to nobody. Checks what it receives.
#include <mpi.h>
#include <stdio.h>

enum { items = 1000, tag = 3 };

static int rank, size, wrong;

static void expect(int what, int line) {
  if (what) return;
  ++wrong;
  printf("rank %d: wrong in line %d\n", rank, line);
}
#define EXPECT(what) expect(what, __LINE__)

static void in_a_ring(MPI_Datatype type, int stride) {
  static int out[2 * items], in[2 * items];
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  const int count = stride == 1 ? 2 * items : 1;
  MPI_Request request;
  MPI_Status status;
  for (int i = 0; i < 2 * items; ++i) out[i] = 10000 * rank + i, in[i] = -1;
  MPI_Isendrecv(out, count, type, right, tag, in, count, type, left, tag, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, &status);
  EXPECT(status.MPI_SOURCE == left && status.MPI_TAG == tag);
  for (int i = 0; i < 2 * items; ++i) EXPECT(in[i] == (i % stride == 0 ? 10000 * left + i : -1));
  MPI_Isendrecv_replace(out, count, type, right, tag, left, tag, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, &status);
  EXPECT(status.MPI_SOURCE == left && status.MPI_TAG == tag);
  for (int i = 0; i < 2 * items; ++i) EXPECT(out[i] == 10000 * (i % stride == 0 ? left : rank) + i);
}

static void with_nobody(void) {
  int out = 1, in = -1;
  MPI_Request request;
  MPI_Status status;
  MPI_Isendrecv(&out, 1, MPI_INT, MPI_PROC_NULL, tag, &in, 1, MPI_INT, MPI_PROC_NULL, tag, MPI_COMM_WORLD,
                &request);
  MPI_Wait(&request, &status);
  EXPECT(status.MPI_SOURCE == MPI_PROC_NULL && in == -1);
  MPI_Isendrecv(&out, 1, MPI_INT, rank, tag + 1, &in, 1, MPI_INT, MPI_ANY_SOURCE, tag + 1, MPI_COMM_WORLD,
                &request);
  MPI_Wait(&request, &status);
  EXPECT(status.MPI_SOURCE == rank && in == 1);
}

int main(int argc, char** argv) {
  MPI_Datatype every_other;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Type_vector(items, 1, 2, MPI_INT, &every_other);
  MPI_Type_commit(&every_other);
  for (int round = 0; round < 3; ++round) {
    in_a_ring(MPI_INT, 1);
    in_a_ring(every_other, 2);
    with_nobody();
  }
  MPI_Type_free(&every_other);
  if (wrong == 0) printf("all is right\n");
  MPI_Finalize();
  return wrong != 0;
}
