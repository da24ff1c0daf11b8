// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls the `_c` twins as a program does that finds them at run time (they are weak here). Exits with 1 at the
// first wrong result.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#pragma weak MPI_Send_c
#pragma weak MPI_Sendrecv_c
#pragma weak MPI_Get_count_c
#pragma weak MPI_Pack_c
#pragma weak MPI_Pack_size_c
#pragma weak MPI_Unpack_c
#pragma weak MPI_Alltoallv_c
#pragma weak MPI_Ialltoallv_c
#pragma weak MPI_Alltoallw_c
#pragma weak MPI_Ialltoallw_c
#pragma weak MPI_Gather_c
#pragma weak MPI_Scatter_c
#pragma weak MPI_Neighbor_alltoallv_c
#pragma weak MPI_Ineighbor_alltoallw_c

#define MOST 8
static int rank, size;

static void expect(int condition, const char* what) {
  if (condition) return;
  fprintf(stderr, "rank %d: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void messages(void) {
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  int sent[3] = {rank, rank + 1, rank + 2}, received[5] = {-1, -1, -1, -1, -1};
  MPI_Status status;
  MPI_Count n = 0, bytes = 0, position = 0;
  MPI_Sendrecv_c(sent, 3, MPI_INT, right, 1, received, 5, MPI_INT, left, 1, MPI_COMM_WORLD, &status);
  MPI_Get_count_c(&status, MPI_INT, &n);
  expect(n == 3 && received[2] == left + 2 && received[3] == -1, "MPI_Sendrecv_c");
  MPI_Get_count_c(&status, MPI_DOUBLE, &n);
  expect(n == MPI_UNDEFINED, "MPI_Get_count_c of a type that does not divide the message");

  char packed[64];
  MPI_Pack_size_c(3, MPI_INT, MPI_COMM_WORLD, &bytes);
  MPI_Pack_c(sent, 3, MPI_INT, packed, (MPI_Count)1 << 33, &position, MPI_COMM_WORLD);
  expect(bytes >= 12 && position >= 12 && position <= bytes, "MPI_Pack_c");
  position = 0;
  MPI_Unpack_c(packed, sizeof packed, &position, received, 3, MPI_INT, MPI_COMM_WORLD);
  expect(received[0] == rank && position >= 12, "MPI_Unpack_c");
}

/// Each rank gets `value(peer)` of each of its n peers, at every other int.
static void expect_received(const int* received, int n, const int* values, const char* what) {
  for (int i = 0; i < n; ++i) expect(received[2 * i] == values[i] && received[2 * i + 1] == -1, what);
}

static void collectives(void) {
  int sent[MOST], received[2 * MOST], values[MOST];
  MPI_Count counts[MOST];
  MPI_Aint send_at[MOST], receive_at[MOST], send_bytes[MOST], receive_bytes[MOST];
  MPI_Datatype types[MOST];
  MPI_Request request;
  const MPI_Count* volatile no_counts = (const MPI_Count*)16;
  const MPI_Aint* volatile no_displacements = (const MPI_Aint*)16;
  for (int i = 0; i < size; ++i) {
    sent[i] = 10 * rank + i;
    values[i] = 10 * i + rank;
    counts[i] = 1;
    send_at[i] = i, receive_at[i] = 2 * i;
    send_bytes[i] = 4 * i, receive_bytes[i] = 8 * i;
    types[i] = MPI_INT;
  }
  for (int call = 0; call < 5; ++call) {
    for (int i = 0; i < 2 * MOST; ++i) received[i] = -1;
    for (int i = 0; i < size; ++i) received[2 * i] = call == 4 ? sent[i] : -1;
    switch (call) {
      case 0:
        MPI_Alltoallv_c(sent, counts, send_at, MPI_INT, received, counts, receive_at, MPI_INT,
                        MPI_COMM_WORLD);
        break;
      case 1:
        MPI_Ialltoallv_c(sent, counts, send_at, MPI_INT, received, counts, receive_at, MPI_INT,
                         MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
      case 2:
        MPI_Alltoallw_c(sent, counts, send_bytes, types, received, counts, receive_bytes, types,
                        MPI_COMM_WORLD);
        break;
      case 3:
        MPI_Ialltoallw_c(sent, counts, send_bytes, types, received, counts, receive_bytes, types,
                         MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
      case 4:  // the arrays of the send side are not to be read
        MPI_Alltoallv_c(MPI_IN_PLACE, no_counts, no_displacements, MPI_INT, received, counts, receive_at,
                        MPI_INT, MPI_COMM_WORLD);
        break;
    }
    expect_received(received, size, values, "exchange of each with each");
  }
}

/// Each rank sends to the next and to itself, and receives from itself and the one before.
static void neighbors(void) {
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  int sources[2] = {left, rank}, destinations[2] = {right, rank}, sent[2] = {10 + rank, 20 + rank},
      received[4];
  const int values[2] = {10 + left, 20 + rank};
  const int weights[2] = {1, 1};
  const MPI_Count counts[2] = {1, 1};
  const MPI_Aint at[4] = {0, 1, 0, 2}, bytes[4] = {0, 4, 0, 8};
  const MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  MPI_Comm graph, line;
  MPI_Request request;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, weights, 2, destinations, weights, MPI_INFO_NULL,
                                 0, &graph);
  for (int call = 0; call < 2; ++call) {
    for (int i = 0; i < 4; ++i) received[i] = -1;
    if (call == 0) {
      MPI_Neighbor_alltoallv_c(sent, counts, at, MPI_INT, received, counts, at + 2, MPI_INT, graph);
    } else {
      MPI_Ineighbor_alltoallw_c(sent, counts, bytes, types, received, counts, bytes + 2, types, graph,
                                &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    expect_received(received, 2, values, "exchange along a graph");
  }
  const int ends = 0;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &ends, 0, &line);
  for (int i = 0; i < 4; ++i) received[i] = -1;
  MPI_Neighbor_alltoallv_c(sent, counts, at, MPI_INT, received, counts, at + 2, MPI_INT, line);
  expect(received[0] == (rank == 0 ? -1 : 20 + left) && received[2] == (rank + 1 == size ? -1 : 10 + right),
         "exchange along a line");
  MPI_Comm_free(&line);
  MPI_Comm_free(&graph);
}

/// Where a count is not significant it may be anything.
static void rooted(void) {
  const int root = 0, is_root = rank == root;
  const MPI_Count none = (MPI_Count)1 << 40;
  int own = 3 * rank, all[MOST] = {0}, word = is_root ? 7 : 0;
  MPI_Gather_c(&own, 1, MPI_INT, all, is_root ? 1 : none, MPI_INT, root, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) expect(!is_root || all[i] == 3 * i, "gather");
  own = -1;
  MPI_Scatter_c(all, is_root ? 1 : none, MPI_INT, is_root ? MPI_IN_PLACE : &own, is_root ? none : 1, MPI_INT,
                root, MPI_COMM_WORLD);
  expect(is_root || own == 3 * rank, "scatter");
  MPI_Bcast(&word, 1, MPI_INT, root, MPI_COMM_WORLD);
  expect(word == 7, "broadcast");
}

static void beyond_int(void) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const char byte = 0;
  const int code = MPI_Send_c(&byte, (MPI_Count)1 << 32, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  expect(code == MPI_SUCCESS, "a count beyond int");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  messages();
  collectives();
  neighbors();
  rooted();
  beyond_int();
  if (rank == 0) printf("all as expected\n");
  MPI_Finalize();
  return 0;
}
