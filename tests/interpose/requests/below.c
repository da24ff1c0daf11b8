// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Requests that are completed below the preloaded library, as tools and bindings of other languages do, and
// by the calls of MPI 4.1 that it does not know.
#include <mpi.h>
#include <stdio.h>

enum { blocks = 1000, rounds = 50 };

static int rank, size, wrong;

static void complete(MPI_Request* requests, int round) {
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
  int flag = 0, index = 0, indices[2], outcount = 0;
  const int how = round % 4;
  while (how == 1 && !flag) MPI_Request_get_status_any(2, requests, &index, &flag, MPI_STATUS_IGNORE);
  flag = 0;
  while (how > 1 && !flag) MPI_Request_get_status_all(2, requests, &flag, MPI_STATUSES_IGNORE);
  // In MPICH 5.0.2 it moves nothing on, and takes persistent requests that are complete for such that are not
  // active.
  if (how == 3) MPI_Request_get_status_some(2, requests, &outcount, indices, MPI_STATUSES_IGNORE);
  if (index != 0 && index != 1) ++wrong;
  if (how == 3 && outcount != MPI_UNDEFINED && (outcount != 2 || indices[0] + indices[1] != 1)) ++wrong;
#else
  (void)round;
#endif
  PMPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void check(const int* received, int left, int round) {
  for (int i = 0; i < 2 * blocks; ++i) {
    const int expected = i % 2 == 0 ? 100 * left + round + i : -1;
    if (received[i] != expected) ++wrong;
  }
}

static void fill(int* sent, int* received, int round) {
  for (int i = 0; i < 2 * blocks; ++i) sent[i] = 100 * rank + round + i, received[i] = -1;
}

int main(int argc, char** argv) {
  static int sent[2 * blocks], received[2 * blocks];
  MPI_Datatype column;
  MPI_Request requests[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  MPI_Type_vector(blocks, 1, 2, MPI_INT, &column);
  MPI_Type_commit(&column);
  for (int round = 0; round < rounds; ++round) {
    fill(sent, received, round);
    MPI_Irecv(received, 1, column, left, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(sent, 1, column, right, 0, MPI_COMM_WORLD, &requests[1]);
    complete(requests, round);
    check(received, left, round);
  }
  MPI_Recv_init(received, 1, column, left, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(sent, 1, column, right, 0, MPI_COMM_WORLD, &requests[1]);
  for (int round = 0; round < rounds; ++round) {
    fill(sent, received, round);
    MPI_Startall(2, requests);
    complete(requests, round);
    check(received, left, round);
  }
  for (int i = 0; i < 2; ++i) MPI_Request_free(&requests[i]);
  MPI_Type_free(&column);
  MPI_Finalize();
  if (wrong == 0) printf("rank %d: all is right\n", rank);
  return wrong != 0;
}
