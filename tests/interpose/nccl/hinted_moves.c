// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the hints of a communicator, window, file or datatype become: each kind of call moves data of the fake
// device, which tells the hints of the last move. One rank. Exits with 1 at the first wrong answer.
//
// usage: hinted_moves <hints of moves that nobody gave any: "none", or what the environment says>
#define _GNU_SOURCE
#include "../common/memory.h"
#include "fake_gpu.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static void window_of(int* memory, MPI_Info hints, const char* expected, const char* what) {
  MPI_Win window;
  MPI_Win_create(memory, items * sizeof(int), sizeof(int), hints, plain, &window);
  fill();
  forget();
  MPI_Win_fence(0, window);
  MPI_Put(sent, 1, column, 0, 0, 1, column, window);
  MPI_Win_fence(0, window);
  expect_hints(expected, what);
  forget();
  MPI_Get(received, 1, column, 0, 0, 1, column, window);
  MPI_Win_fence(0, window);
  expect_hints(expected, what);
  expect_column(what);
  forget();
  MPI_Accumulate(sent, 1, column, 0, 0, 1, column, MPI_REPLACE, window);
  MPI_Win_fence(0, window);
  expect_hints(expected, what);
  MPI_Win_free(&window);
}

static void windows(void) {
  MPI_Info hints = info();
  int* const host = calloc(items, sizeof(int));
  int* const device = memory_get(items * sizeof(int));
  window_of(host, hints, given, "a window of host memory");
  window_of(host, MPI_INFO_NULL, without, "a window of host memory without hints");
  window_of(device, hints, given, "a window of device memory");
  window_of(device, MPI_INFO_NULL, without, "a window of device memory without hints");
  memory_free(device);
  free(host);
  MPI_Info_free(&hints);
}

static void file_of(MPI_Info hints, const char* expected) {
  char path[100];
  MPI_File file;
  snprintf(path, sizeof path, "/tmp/typewarp_hinted_moves_%ld", (long)getpid());
  MPI_File_open(plain, path, MPI_MODE_CREATE | MPI_MODE_RDWR, hints, &file);
  fill();
  forget();
  MPI_File_write_at(file, 0, sent, 1, column, MPI_STATUS_IGNORE);
  expect_hints(expected, "MPI_File_write_at");
  forget();
  MPI_File_read_at_all(file, 0, received, 1, column, MPI_STATUS_IGNORE);
  expect_hints(expected, "MPI_File_read_at_all");
  expect_column("MPI_File_read_at_all");
  MPI_File_close(&file);
  unlink(path);
}

static void refused(int code, int error_class, const char* text) {
  char told[MPI_MAX_ERROR_STRING + 1];
  int found = 0, length = 0;
  MPI_Error_class(code, &found);
  MPI_Error_string(code, told, &length);
  expect(found == error_class && strstr(told, text) != NULL, text, told);
}

static void pack_one(MPI_Datatype type, MPI_Comm comm) {
  char packed[sizeof(int) * blocks];
  int position = 0;
  forget();
  MPI_Pack(sent, 1, type, packed, sizeof packed, &position, comm);
}

/// A datatype's go before those of the communicator, and both before the environment.
static void datatypes(void) {
  int (*const set)(MPI_Datatype, const char*, const char*) =
      (int (*)(MPI_Datatype, const char*, const char*))dlsym(RTLD_DEFAULT, "typewarp_set_type_hint");
  const int alone = strcmp(without, "none") == 0;
  MPI_Datatype own, copy, made;
  expect(set != NULL, "typewarp_set_type_hint", "is not there");
  MPI_Type_dup(column, &own);
  expect(set(own, "typewarp_method", "words") == MPI_SUCCESS, "a hint", "is refused");
  expect(set(own, "max_blocks", "4") == MPI_SUCCESS, "a second hint", "is refused");
  pack_one(own, hinted);
  expect_hints("priority=high, max_blocks=4, method=words", "a datatype's hints");
  MPI_Type_dup(own, &copy);
  MPI_Type_free(&own);
  pack_one(copy, plain);
  expect_hints(alone ? "max_blocks=4, method=words" : "priority=low, max_blocks=4, method=words",
               "a duplicate's hints");
  MPI_Type_contiguous(1, copy, &made);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  refused(set(made, "priority", "low"), MPI_ERR_TYPE, "");
  refused(set(MPI_INT, "priority", "low"), MPI_ERR_TYPE, "");
  refused(set(copy, "priority", "urgent"), MPI_ERR_INFO_VALUE,
          "typewarp_set_type_hint: typewarp_priority = urgent: must be one of automatic, low");
  refused(set(copy, "blocks", "4"), MPI_ERR_INFO_KEY, "key = typewarp_blocks: must be one of");
  MPI_Type_commit(&made);
  pack_one(made, plain);
  expect_hints(without, "a datatype made of one with hints");
  MPI_Type_free(&made);
  MPI_Type_free(&copy);
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
  datatypes();
  windows();
  file_of(hints, given);
  file_of(MPI_INFO_NULL, without);
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
