// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A neighbour on both sides of a dimension gets what was sent upwards from below, and the other way round, whatever
// the MPI alone does: Open MPI exchanges the two blocks.
#include <mpi.h>
#include <stdio.h>

enum { dimensions = 2, blocks = 2 * dimensions, length = 3 };
enum call { v, w, calls };

static int wrong;

static void expect(MPI_Comm comm, const int (*received)[2 * length], const char* name) {
  for (int i = 0; i < blocks; ++i) {
    int down, up;
    MPI_Cart_shift(comm, i / 2, 1, &down, &up);
    const int expected = 100 * (i % 2 == 0 ? down : up) + 10 * (i ^ 1);
    for (int k = 0; k < length; ++k) {
      if (received[i][2 * k] == expected + k) continue;
      fprintf(stderr, "%s: block %d holds %d in place of %d\n", name, i, received[i][2 * k], expected + k);
      wrong = 1;
    }
  }
}

static void exchange(MPI_Comm comm, enum call call, int blocking) {
  static const char* const names[calls] = {"v", "w"};
  int rank, sent[blocks][2 * length] = {{0}}, received[blocks][2 * length] = {{0}}, counts[blocks], places[blocks];
  MPI_Aint byte_places[blocks];
  MPI_Datatype apart, extended, types[blocks];
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm_rank(comm, &rank);
  MPI_Type_vector(length, 1, 2, MPI_INT, &apart);
  MPI_Type_create_resized(apart, 0, sizeof sent[0], &extended);
  MPI_Type_commit(&extended);
  for (int i = 0; i < blocks; ++i) {
    counts[i] = 1, places[i] = i, byte_places[i] = i * (MPI_Aint)sizeof sent[0], types[i] = extended;
    for (int k = 0; k < length; ++k) sent[i][2 * k] = 100 * rank + 10 * i + k;
  }
  if (call == v && blocking)
    MPI_Neighbor_alltoallv(sent, counts, places, extended, received, counts, places, extended, comm);
  if (call == v && !blocking)
    MPI_Ineighbor_alltoallv(sent, counts, places, extended, received, counts, places, extended, comm, &request);
  if (call == w && blocking)
    MPI_Neighbor_alltoallw(sent, counts, byte_places, types, received, counts, byte_places, types, comm);
  if (call == w && !blocking)
    MPI_Ineighbor_alltoallw(sent, counts, byte_places, types, received, counts, byte_places, types, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect(comm, received, names[call]);
  MPI_Type_free(&extended);
  MPI_Type_free(&apart);
}

int main(int argc, char** argv) {
  int sizes[dimensions] = {0, 1}, periods[dimensions] = {1, 1};
  MPI_Comm comm;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &sizes[0]);
  MPI_Cart_create(MPI_COMM_WORLD, dimensions, sizes, periods, 0, &comm);
  for (int call = 0; call < calls; ++call) {
    exchange(comm, (enum call)call, 1);
    exchange(comm, (enum call)call, 0);
  }
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return wrong;
}
