// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the hints of a communicator become: each kind of call moves data of the fake device, which tells the
// hints of the last move. One rank. Exits with 1 at the first wrong answer.
//
// usage: hinted_moves <hints of moves that nobody gave any: "none", or what the environment says>
#include "../common/memory.h"
#include "fake_gpu.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { blocks = 64, stride = 4, items = blocks * stride };
static const char given[] = "priority=high, max_blocks=8";
static const char* without;
static MPI_Comm plain, hinted;
static MPI_Datatype column;
static int *sent, *received;  // of the device

static void expect(int condition, const char* what, const char* told) {
  if (condition) return;
  fprintf(stderr, "%s: '%s'\n", what, told);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void expect_hints(const char* hints, const char* what) {
  char told[200];
  fake_gpu_hints(told, sizeof told);
  expect(strcmp(told, hints) == 0, what, told);
}

/// Moves data without hints, so that none are left of an earlier call.
static void forget(void) {
  char packed[sizeof(int) * blocks];
  int position = 0;
  MPI_Pack(sent, 1, column, packed, sizeof packed, &position, plain);
  expect_hints(without, "MPI_Pack without hints");
}

static void fill(void) {
  int host[items];
  for (int i = 0; i < items; ++i) host[i] = i + 1;
  memory_write(sent, host, sizeof host);
  memset(host, 0, sizeof host);
  memory_write(received, host, sizeof host);
}

static void expect_column(const char* what) {
  int host[items];
  memory_read(host, received, sizeof host);
  for (int i = 0; i < items; ++i) expect(host[i] == (i % stride == 0 ? i + 1 : 0), what, "wrong data");
}

static MPI_Info info(void) {
  MPI_Info made;
  MPI_Info_create(&made);
  MPI_Info_set(made, "typewarp_priority", "high");
  MPI_Info_set(made, "typewarp_max_blocks", "8");
  return made;
}

static void sendrecv(MPI_Comm comm) {
  MPI_Sendrecv(sent, 1, column, 0, 1, received, 1, column, 0, 1, comm, MPI_STATUS_IGNORE);
}
static void nonblocking(MPI_Comm comm) {
  MPI_Request requests[2];
  MPI_Irecv(received, 1, column, 0, 2, comm, &requests[0]);
  MPI_Isend(sent, 1, column, 0, 2, comm, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
static void persistent(MPI_Comm comm) {
  MPI_Request requests[2];
  MPI_Recv_init(received, 1, column, 0, 3, comm, &requests[0]);
  MPI_Send_init(sent, 1, column, 0, 3, comm, &requests[1]);
  MPI_Startall(2, requests);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}
static void matched(MPI_Comm comm) {
  MPI_Request request;
  MPI_Message message;
  MPI_Isend(sent, 1, column, 0, 4, comm, &request);
  MPI_Mprobe(0, 4, comm, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(received, 1, column, &message, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void pack(MPI_Comm comm) {
  char packed[sizeof(int) * blocks];
  int position = 0;
  MPI_Pack(sent, 1, column, packed, sizeof packed, &position, comm);
  position = 0;
  MPI_Unpack(packed, sizeof packed, &position, received, 1, column, comm);
}
static void allgather(MPI_Comm comm) { MPI_Allgather(sent, 1, column, received, 1, column, comm); }
static void alltoallw(MPI_Comm comm) {
  const int one = 1, zero = 0;
  MPI_Alltoallw(sent, &one, &zero, &column, received, &one, &zero, &column, comm);
}
/// Of absolute addresses, partly in host memory.
static void members(MPI_Comm comm) {
  int host[2] = {5, 0};
  const int lengths[2] = {1, 1};
  MPI_Aint from[2], to[2];
  MPI_Datatype types[2] = {column, MPI_INT}, both[2];
  MPI_Get_address(sent, &from[0]);
  MPI_Get_address(&host[0], &from[1]);
  MPI_Get_address(received, &to[0]);
  MPI_Get_address(&host[1], &to[1]);
  MPI_Type_create_struct(2, lengths, from, types, &both[0]);
  MPI_Type_create_struct(2, lengths, to, types, &both[1]);
  MPI_Type_commit(&both[0]);
  MPI_Type_commit(&both[1]);
  MPI_Sendrecv(MPI_BOTTOM, 1, both[0], 0, 5, MPI_BOTTOM, 1, both[1], 0, 5, comm, MPI_STATUS_IGNORE);
  expect(host[1] == 5, "members", "wrong data in host memory");
  MPI_Type_free(&both[0]);
  MPI_Type_free(&both[1]);
}

static void communicators(void) {
  static const struct {
    const char* name;
    void (*make)(MPI_Comm);
  } calls[] = {{"MPI_Sendrecv", sendrecv},   {"MPI_Isend", nonblocking}, {"MPI_Send_init", persistent},
               {"MPI_Mrecv", matched},       {"MPI_Pack", pack},         {"MPI_Allgather", allgather},
               {"MPI_Alltoallw", alltoallw}, {"members", members}};
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; ++i) {
    forget();
    fill();
    calls[i].make(hinted);
    expect_hints(given, calls[i].name);
    expect_column(calls[i].name);
    fill();
    calls[i].make(plain);
    expect_hints(without, calls[i].name);
    expect_column(calls[i].name);
  }
}

int main(int argc, char** argv) {
  without = argc > 1 ? argv[1] : "none";
  MPI_Init(&argc, &argv);
  memory_kind("device");
  sent = memory_get(items * sizeof(int));
  received = memory_get(items * sizeof(int));
  MPI_Type_vector(blocks, 1, stride, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Comm_dup(MPI_COMM_WORLD, &plain);
  forget();  // while nothing has hints
  MPI_Info hints = info();
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, hints, &hinted);
  communicators();
  MPI_Info_free(&hints);
  MPI_Comm_free(&hinted);
  MPI_Comm_free(&plain);
  MPI_Type_free(&column);
  memory_free(sent);
  memory_free(received);
  MPI_Finalize();
  printf("all as expected\n");
  return 0;
}
