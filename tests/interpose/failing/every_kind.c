// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// usage: every_kind <kind of memory>
// A job of two ranks that makes calls of all kinds once, on strided columns, in lengths that go by each protocol, and
// looks at all it gets, the gaps too. What fails is told ("error: ...") and ends the job with 3, as what is wrong ends
// it with 4.
#include "../common/memory.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { most_rows = 60000, columns = 3, gap = -1, error_status = 3, wrong_status = 4 };

static int rank, size, other;
static int *sent, *received, *host;
static MPI_Datatype column;  ///< one int of each row
static MPI_Comm ring;
static const char* step = "MPI_Init";

static void end(int status) {
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, status);
  _exit(status);
}

static void check(int code, const char* call) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (code == MPI_SUCCESS) return;
  MPI_Error_string(code, text, &length);
  fprintf(stderr, "error: rank %d, %s: %s: %s\n", rank, step, call, text);
  end(error_status);
}
#define TRY(call) check(call, #call)

static int value(int from, int i) { return 1000003 * from + 7 * i; }

static void fill(int* memory, int n) {
  for (int i = 0; i < columns * n; ++i) host[i] = i % columns == 0 ? value(rank, i / columns) : gap;
  memory_write(memory, host, (size_t)(columns * n) * sizeof(int));
}

static void clear(int n) {
  for (int i = 0; i < columns * n; ++i) host[i] = gap;
  memory_write(received, host, (size_t)(columns * n) * sizeof(int));
}

static void wrong(int i, int expected) {
  fprintf(stderr, "wrong: rank %d, %s: number %d is %d, not %d\n", rank, step, i, host[i], expected);
  end(wrong_status);
}

/// `n` rows that came from a rank, from its row `first` on, lie from row `at` on.
static void expect_rows(const int* memory, int at, int from, int first, int n) {
  memory_read(host, memory, (size_t)(columns * (at + n)) * sizeof(int));
  for (int i = 0; i < columns * n; ++i) {
    const int expected = i % columns == 0 ? value(from, first + i / columns) : gap;
    if (host[columns * at + i] != expected) wrong(columns * at + i, expected);
  }
}

static void expect_sum(const int* memory, int n, int times) {
  memory_read(host, memory, (size_t)n * sizeof(int));
  for (int i = 0; i < n; ++i) {
    int expected = 0;
    for (int r = 0; r < size; ++r) expected += times * value(r, i);
    if (host[i] != expected) wrong(i, expected);
  }
}

static void messages(int n) {
  MPI_Request requests[2];
  MPI_Status status;
  MPI_Message message;
  int count = 0, found = 0;
  step = "messages";
  clear(n);
  TRY(MPI_Sendrecv(sent, n, column, other, 1, received, n, column, other, 1, MPI_COMM_WORLD, &status));
  expect_rows(received, 0, other, 0, n);
  clear(n);
  TRY(MPI_Irecv(received, n, column, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &requests[0]));
  TRY(MPI_Isend(sent, n, column, other, 2, MPI_COMM_WORLD, &requests[1]));
  TRY(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  expect_rows(received, 0, other, 0, n);
  step = "persistent messages";
  TRY(MPI_Recv_init(received, n, column, other, 3, MPI_COMM_WORLD, &requests[0]));
  TRY(MPI_Ssend_init(sent, n, column, other, 3, MPI_COMM_WORLD, &requests[1]));
  for (int i = 0; i < 2; ++i) {
    clear(n);
    TRY(MPI_Startall(2, requests));
    for (int done = 0; !done;) TRY(MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE));
    expect_rows(received, 0, other, 0, n);
  }
  TRY(MPI_Request_free(&requests[0]));
  TRY(MPI_Request_free(&requests[1]));
  step = "probes";
  clear(n);
  TRY(MPI_Isend(sent, n, column, other, 4, MPI_COMM_WORLD, &requests[0]));
  TRY(MPI_Mprobe(other, 4, MPI_COMM_WORLD, &message, &status));
  TRY(MPI_Get_count(&status, column, &count));
  if (count != n) wrong(0, n);
  TRY(MPI_Mrecv(received, n, column, &message, &status));
  TRY(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
  expect_rows(received, 0, other, 0, n);
  clear(n);
  TRY(MPI_Isend(sent, n, column, other, 5, MPI_COMM_WORLD, &requests[0]));
  while (!found) TRY(MPI_Iprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &found, &status));
  TRY(MPI_Recv(received, n, column, status.MPI_SOURCE, 5, MPI_COMM_WORLD, &status));
  TRY(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
  expect_rows(received, 0, other, 0, n);
}

static void packing(int n) {
  int bytes = 0, place = 0;
  step = "MPI_Pack";
  clear(n);
  TRY(MPI_Pack_size(n, column, MPI_COMM_WORLD, &bytes));
  void* const packed = malloc((size_t)bytes);
  TRY(MPI_Pack(sent, n, column, packed, bytes, &place, MPI_COMM_WORLD));
  bytes = place;
  place = 0;
  TRY(MPI_Unpack(packed, bytes, &place, received, n, column, MPI_COMM_WORLD));
  free(packed);
  expect_rows(received, 0, rank, 0, n);
}

/// Blocks: `n` rows to and from each rank.
static void collectives(int n) {
  MPI_Request request = MPI_REQUEST_NULL;
  int counts[2] = {n, n}, places[2] = {0, n};
  for (int form = 0; form < 2; ++form) {
    const int waits = form == 1;
    step = waits ? "MPI_Ibcast" : "MPI_Bcast";
    clear(n);
    if (rank == 0) fill(received, n);
    TRY(waits ? MPI_Ibcast(received, n, column, 0, MPI_COMM_WORLD, &request) : MPI_Bcast(received, n, column, 0, MPI_COMM_WORLD));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    expect_rows(received, 0, 0, 0, n);
    step = waits ? "MPI_Iallgather" : "MPI_Allgather";
    clear(2 * n);
    TRY(waits ? MPI_Iallgather(sent, n, column, received, n, column, MPI_COMM_WORLD, &request)
              : MPI_Allgather(sent, n, column, received, n, column, MPI_COMM_WORLD));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int r = 0; r < 2; ++r) expect_rows(received, r * n, r, 0, n);
    step = waits ? "MPI_Ialltoallv" : "MPI_Alltoallv";
    clear(2 * n);
    TRY(waits ? MPI_Ialltoallv(sent, counts, places, column, received, counts, places, column, MPI_COMM_WORLD, &request)
              : MPI_Alltoallv(sent, counts, places, column, received, counts, places, column, MPI_COMM_WORLD));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int r = 0; r < 2; ++r) expect_rows(received, r * n, r, rank * n, n);
    step = waits ? "MPI_Igatherv" : "MPI_Gatherv";
    clear(2 * n);
    TRY(waits ? MPI_Igatherv(sent, n, column, received, counts, places, column, 1, MPI_COMM_WORLD, &request)
              : MPI_Gatherv(sent, n, column, received, counts, places, column, 1, MPI_COMM_WORLD));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int r = 0; r < 2 && rank == 1; ++r) expect_rows(received, r * n, r, 0, n);
    step = waits ? "MPI_Iscatter" : "MPI_Scatter";
    clear(n);
    TRY(waits ? MPI_Iscatter(sent, n, column, received, n, column, 0, MPI_COMM_WORLD, &request)
              : MPI_Scatter(sent, n, column, received, n, column, 0, MPI_COMM_WORLD));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    expect_rows(received, 0, 0, rank * n, n);
    step = waits ? "MPI_Ineighbor_alltoall" : "MPI_Neighbor_alltoall";
    clear(2 * n);
    TRY(waits ? MPI_Ineighbor_allgather(sent, n, column, received, n, column, ring, &request)
              : MPI_Neighbor_allgather(sent, n, column, received, n, column, ring));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int r = 0; r < 2; ++r) expect_rows(received, r * n, other, 0, n);
  }
  step = "MPI_Alltoallw";
  const int bytes[2] = {0, n * columns * (int)sizeof(int)};
  const MPI_Datatype types[2] = {column, column};
  clear(2 * n);
  TRY(MPI_Alltoallw(sent, counts, bytes, types, received, counts, bytes, types, MPI_COMM_WORLD));
  for (int r = 0; r < 2; ++r) expect_rows(received, r * n, r, rank * n, n);
}

static void reductions(int n) {
  MPI_Request request = MPI_REQUEST_NULL;
  for (int i = 0; i < n; ++i) host[i] = value(rank, i);
  memory_write(sent, host, (size_t)n * sizeof(int));
  step = "MPI_Allreduce";
  TRY(MPI_Allreduce(sent, received, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  expect_sum(received, n, 1);
  step = "MPI_Reduce";
  TRY(MPI_Reduce(sent, received, n, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD));
  if (rank == 1) expect_sum(received, n, 1);
  step = "MPI_Iallreduce";
  TRY(MPI_Iallreduce(sent, received, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
  TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
  expect_sum(received, n, 1);
  step = "MPI_Scan";
  TRY(MPI_Scan(sent, received, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  if (rank == size - 1) expect_sum(received, n, 1);
  fill(sent, 2 * n);
}

static void windows(int n) {
  MPI_Win window;
  step = "windows";
  clear(n);
  TRY(MPI_Win_create(received, (MPI_Aint)(columns * n) * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window));
  TRY(MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN));
  TRY(MPI_Win_fence(0, window));
  TRY(MPI_Put(sent, n, column, other, 0, n, column, window));
  TRY(MPI_Win_fence(0, window));
  expect_rows(received, 0, other, 0, n);
  int* const got = memory_get((size_t)(columns * n) * sizeof(int));
  for (int i = 0; i < columns * n; ++i) host[i] = gap;
  memory_write(got, host, (size_t)(columns * n) * sizeof(int));
  TRY(MPI_Win_lock(MPI_LOCK_SHARED, other, 0, window));
  TRY(MPI_Get(got, n, column, other, 0, n, column, window));
  TRY(MPI_Win_unlock(other, window));
  expect_rows(got, 0, rank, 0, n);
  TRY(MPI_Barrier(MPI_COMM_WORLD));
  memory_free(got);
  TRY(MPI_Win_free(&window));
}

// Open MPI 5.0.11 by itself dies now and then where such a window is made, in its own shared memory.
#ifndef OPEN_MPI
static void dynamic_window(int n) {
  MPI_Win window;
  MPI_Aint own, at;
  step = "dynamic windows";
  clear(n);
  TRY(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window));
  TRY(MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN));
  TRY(MPI_Win_attach(window, received, (MPI_Aint)(columns * n) * (MPI_Aint)sizeof(int)));
  TRY(MPI_Get_address(received, &own));
  TRY(MPI_Sendrecv(&own, 1, MPI_AINT, other, 6, &at, 1, MPI_AINT, other, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  TRY(MPI_Win_fence(0, window));
  TRY(MPI_Put(sent, n, column, other, at, n, column, window));
  TRY(MPI_Win_fence(0, window));
  expect_rows(received, 0, other, 0, n);
  TRY(MPI_Win_detach(window, received));
  TRY(MPI_Win_free(&window));
}
#endif

static void files(int n) {
  MPI_File file;
  char path[64];
  int process = (int)getpid();
  step = "files";
  TRY(MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD));
  snprintf(path, sizeof path, "%s/every_kind-%d", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", process);
  const MPI_Offset place = (MPI_Offset)rank * n * (MPI_Offset)sizeof(int);
  TRY(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
  TRY(MPI_Barrier(MPI_COMM_WORLD));
  unlink(path);
  TRY(MPI_File_write_at_all(file, place, sent, n, column, MPI_STATUS_IGNORE));
  clear(n);
  TRY(MPI_File_read_at_all(file, place, received, n, column, MPI_STATUS_IGNORE));
  expect_rows(received, 0, rank, 0, n);
  clear(n);
  TRY(MPI_File_read_at(file, place, received, n, column, MPI_STATUS_IGNORE));
  expect_rows(received, 0, rank, 0, n);
  TRY(MPI_File_close(&file));
}

int main(int argc, char** argv) {
  const int periodic = 1;
  int granted;
  if (argc < 2) return 2;
  memory_kind(argv[1]);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &granted);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);  // of calls that name no communicator
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) return 2;
  other = 1 - rank;
  memory_device(rank);
  const size_t bytes = (size_t)(2 * columns * most_rows) * sizeof(int);
  sent = memory_get(bytes);
  received = memory_get(bytes);
  host = malloc(bytes);
  step = "types and communicators";
  MPI_Datatype one;
  TRY(MPI_Type_vector(1, 1, columns, MPI_INT, &one));
  TRY(MPI_Type_create_resized(one, 0, columns * (MPI_Aint)sizeof(int), &column));
  TRY(MPI_Type_commit(&column));
  TRY(MPI_Type_free(&one));
  TRY(MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring));
  TRY(MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN));
  fill(sent, 2 * most_rows);
  static const int rows[] = {20, 5000, most_rows};  // by each protocol
  for (int i = 0; i < 3; ++i) {
    messages(rows[i]);
    packing(rows[i]);
    collectives(rows[i]);
    reductions(rows[i]);
    fill(sent, 2 * most_rows);
  }
  windows(5000);
#ifndef OPEN_MPI
  dynamic_window(5000);
#endif
  files(5000);
  step = "the end";
  TRY(MPI_Type_free(&column));
  TRY(MPI_Comm_free(&ring));
  memory_free(sent);
  memory_free(received);
  free(host);
  TRY(MPI_Barrier(MPI_COMM_WORLD));
  if (rank == 0) printf("all is right\n");
  step = "MPI_Finalize";
  TRY(MPI_Finalize());
  return 0;
}
