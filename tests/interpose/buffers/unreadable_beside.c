// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// usage: unreadable_beside <kind of memory>
// Two ranks make collective calls of long blocks and of a file. In rank 1 memory of a device has a datatype that the
// library cannot read: there each call fails, and rank 0 must come to its end, with an error if it should have got
// something from rank 1. A call that both can make comes after each, and must be right.
#include "../common/memory.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { depth = 1100, items = 20000, numbers = 2 * items, patience = 20 };
enum form { blocking, nonblocking };

static int rank, wrong;
static int *sent, *received, *host;
static MPI_Datatype type;  ///< of two numbers; in rank 1 nobody reads it
static int count;

/// Two numbers, one behind the other, above which so many datatypes are that the library cannot read it.
static MPI_Datatype deep(void) {
  MPI_Datatype made, above;
  MPI_Type_contiguous(2, MPI_INT, &made);
  for (int i = 0; i < depth; ++i) {
    MPI_Type_contiguous(1, made, &above);
    MPI_Type_free(&made);
    made = above;
  }
  MPI_Type_commit(&made);
  return made;
}

static void expect(int is_right, const char* call, const char* what) {
  if (is_right) return;
  ++wrong;
  printf("rank %d, %s: %s\n", rank, call, what);
  fflush(stdout);
}

/// Its error, at the call or at its end.
static int ended(int code, MPI_Request* request) {
  return code == MPI_SUCCESS ? MPI_Wait(request, MPI_STATUS_IGNORE) : code;
}

/// A call that all can make.
static void still_right(const char* after) {
  MPI_Request request = MPI_REQUEST_NULL;
  for (int i = 0; i < numbers; ++i) host[i] = 100 * rank + i;
  memory_write(sent, host, numbers * sizeof(int));
  const int code = MPI_Iallgather(sent, numbers, MPI_INT, received, numbers, MPI_INT, MPI_COMM_WORLD, &request);
  expect(ended(code, &request) == MPI_SUCCESS, after, "the next call fails");
  memory_read(host, received, 2 * numbers * sizeof(int));
  int is_right = 1;
  for (int i = 0; i < 2 * numbers; ++i) is_right = is_right && host[i] == 100 * (i / numbers) + i % numbers;
  expect(is_right, after, "the next call is wrong");
}

static void check(const char* call, int code, int gets_from_1) {
  if (rank == 1) expect(code != MPI_SUCCESS, call, "no error where the datatype cannot be read");
  if (rank == 0 && gets_from_1) expect(code != MPI_SUCCESS, call, "no error where the other sends nothing");
  still_right(call);
}

static void collectives(enum form form) {
  const int counts[] = {count, count}, places[] = {0, count};
  MPI_Request request = MPI_REQUEST_NULL;
  const int waits = form == blocking;
#define CALL(name, ...) (waits ? MPI_##name(__VA_ARGS__) : MPI_I_##name(__VA_ARGS__, &request))
#define MPI_I_Bcast MPI_Ibcast
#define MPI_I_Allgather MPI_Iallgather
#define MPI_I_Alltoall MPI_Ialltoall
#define MPI_I_Alltoallv MPI_Ialltoallv
  check("bcast from 0", ended(CALL(Bcast, sent, count, type, 0, MPI_COMM_WORLD), &request), 0);
  check("bcast from 1", ended(CALL(Bcast, sent, count, type, 1, MPI_COMM_WORLD), &request), 1);
  check("allgather", ended(CALL(Allgather, sent, count, type, received, count, type, MPI_COMM_WORLD), &request), 1);
  check("alltoall", ended(CALL(Alltoall, received, count / 2, type, sent, count / 2, type, MPI_COMM_WORLD), &request), 1);
  check("alltoallv",
        ended(CALL(Alltoallv, sent, counts, places, type, received, counts, places, type, MPI_COMM_WORLD), &request), 1);
}

/// A nonblocking call that the MPI makes: ranks must have made as many before.
static void still_in_step(const char* after) {
  MPI_Request request = MPI_REQUEST_NULL;
  int done = 0, sum = 0;
  MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  for (const double begin = MPI_Wtime(); !done && MPI_Wtime() - begin < patience;) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  expect(done, after, "the MPI's next call does not end");
  if (!done) MPI_Abort(MPI_COMM_WORLD, 1);
  expect(sum == 1, after, "the MPI's next call is wrong");
}

/// Long blocks to the other rank, and to itself one that goes by the MPI.
static void unlike_blocks(void) {
  int counts[] = {count, count};
  const int places[] = {0, count};
  MPI_Request request = MPI_REQUEST_NULL;
  counts[rank] = 2;
  int code = MPI_Alltoallv(sent, counts, places, type, received, counts, places, type, MPI_COMM_WORLD);
  check("alltoallv of unlike blocks", code, 1);
  code = MPI_Ialltoallv(sent, counts, places, type, received, counts, places, type, MPI_COMM_WORLD, &request);
  check("ialltoallv of unlike blocks", ended(code, &request), 1);
  still_in_step("ialltoallv of unlike blocks");
}

static void files(void) {
  char path[64];
  int process = (int)getpid();
  MPI_File file;
  MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD);
  snprintf(path, sizeof path, "unreadable_beside_%d", process);
  const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
  if (MPI_File_open(MPI_COMM_WORLD, path, mode, MPI_INFO_NULL, &file) != MPI_SUCCESS) {
    expect(0, "MPI_File_open", "no file");
    return;
  }
  check("MPI_File_write_all", MPI_File_write_all(file, sent, count, type, MPI_STATUS_IGNORE), 0);
  check("MPI_File_write_ordered", MPI_File_write_ordered(file, sent, count, type, MPI_STATUS_IGNORE), 0);
  MPI_Request request = MPI_REQUEST_NULL;
  check("MPI_File_iwrite_all", ended(MPI_File_iwrite_all(file, sent, count, type, &request), &request), 0);
  int word = 0;
  if (rank == 0) MPI_Recv(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  int code = MPI_File_iwrite_all(file, sent, count, type, &request);
  if (rank == 1) MPI_Send(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);  // nothing has waited for the other rank
  check("MPI_File_iwrite_all, one after the other", ended(code, &request), 0);
  check("MPI_File_iread_at_all", ended(MPI_File_iread_at_all(file, 0, sent, count, type, &request), &request), 0);
  code = MPI_File_write_all_begin(file, sent, count, type);
  if (code == MPI_SUCCESS) code = MPI_File_write_all_end(file, sent, MPI_STATUS_IGNORE);
  check("MPI_File_write_all_begin", code, 0);
  code = MPI_File_read_ordered_begin(file, sent, count, type);
  if (code == MPI_SUCCESS) code = MPI_File_read_ordered_end(file, sent, MPI_STATUS_IGNORE);
  check("MPI_File_read_ordered_begin", code, 0);
  MPI_File_close(&file);
}

int main(int argc, char** argv) {
  memory_kind(argc > 1 ? argv[1] : "host");
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  memory_device(rank);
  sent = memory_get(2 * numbers * sizeof(int));
  received = memory_get(2 * numbers * sizeof(int));
  host = malloc(2 * numbers * sizeof(int));
  if (rank == 1) {
    type = deep();
  } else {
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_commit(&type);
  }
  count = items;
  still_right("MPI_Init");
  collectives(blocking);
  collectives(nonblocking);
  files();
  unlike_blocks();
  MPI_Type_free(&type);
  memory_free(sent);
  memory_free(received);
  free(host);
  printf(wrong == 0 ? "all is right\n" : "something is wrong\n");
  MPI_Finalize();
  return wrong != 0;
}
