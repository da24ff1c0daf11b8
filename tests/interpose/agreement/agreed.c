// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// usage: agreed calls|late|once
// calls: blocking collective calls of device memory add no collective call of the MPI, once the ranks know where they
// agree. late: with a time limit, a rank that comes too late gets an error, as do those that have given it up; later
// calls go on. once: between hosts a call that both NCCL and messages may take adds one collective call.
#define _GNU_SOURCE
#include "../common/memory.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { numbers = 1 << 16, warm = 4, rounds = 10, most = 8 };

static int rank, size, added;
static int *sent, *received, values[most * numbers];

// What the library calls, and this program does not.
#define COUNTED(name, parameters, arguments)                           \
  int name parameters {                                                \
    int(*const next) parameters = (int(*) parameters)dlsym(RTLD_NEXT, #name); \
    ++added;                                                           \
    return next arguments;                                             \
  }
COUNTED(PMPI_Allreduce, (const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
        (from, to, count, type, op, comm))
COUNTED(PMPI_Barrier, (MPI_Comm comm), (comm))
COUNTED(PMPI_Bcast, (void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm), (buffer, count, type, root, comm))
COUNTED(PMPI_Iallgather,
        (const void* from, int count, MPI_Datatype type, void* to, int counts, MPI_Datatype types, MPI_Comm comm, MPI_Request* request),
        (from, count, type, to, counts, types, comm, request))

static void expect(int is_right, const char* what) {
  if (is_right) return;
  fprintf(stderr, "rank %d: %s is wrong\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void fill(int* memory, int first) {
  for (int i = 0; i < numbers; ++i) values[i] = first + i;
  memory_write(memory, values, numbers * sizeof(int));
}

static int has(const int* memory, int first, int factor, int place) {
  memory_read(values, memory, (place + 1) * numbers * sizeof(int));
  for (int i = 0; i < numbers; ++i)
    if (values[place * numbers + i] != first + factor * i) return 0;
  return 1;
}

static int broadcast(int root, MPI_Comm comm) { return MPI_Bcast(received, numbers, MPI_INT, root, comm); }

static void each_call(int seed, MPI_Comm comm) {
  const int root = seed % size;
  fill(received, rank == root ? seed : -1);
  expect(broadcast(root, comm) == MPI_SUCCESS && has(received, seed, 1, 0), "MPI_Bcast");
  fill(sent, rank + seed);
  MPI_Allgather(sent, numbers, MPI_INT, received, numbers, MPI_INT, comm);
  for (int from = 0; from < size; ++from) expect(has(received, from + seed, 1, from), "MPI_Allgather");
  MPI_Allreduce(sent, received, numbers, MPI_INT, MPI_SUM, comm);
  expect(has(received, size * (size - 1) / 2 + size * seed, size, 0), "MPI_Allreduce");
}

/// The last rank comes when a call of the MPI has ended, for which others must do their part while they wait.
static void come_later(MPI_Comm comm) {
  const int one = 1;
  int sum = 0;
  MPI_Request request;
  fill(received, rank == 1 ? 7 : -1);
  MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
  if (rank == size - 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect(broadcast(1, comm) == MPI_SUCCESS && has(received, 7, 1, 0), "MPI_Bcast where one comes later");
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect(sum == size, "MPI_Iallreduce");
}

static void calls(void) {
  MPI_Comm copy, back;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &back);
  MPI_Comm comms[] = {copy, back, MPI_COMM_WORLD};
  for (int of = 0; of < 3; ++of) {
    for (int round = 0; round < warm; ++round) each_call(round, comms[of]);
    expect(added != 0 || comms[of] == MPI_COMM_WORLD, "that what is added is counted");
    added = 0;
    for (int round = 0; round < rounds; ++round) each_call(round, comms[of]);
    for (int round = 0; round < rounds; ++round) come_later(comms[of]);
    if (added != 0) fprintf(stderr, "rank %d, communicator %d: %d calls of the MPI\n", rank, of, added);
    expect(added == 0, "what is added");
  }
  MPI_Comm_free(&copy);
  MPI_Comm_free(&back);
}

static void late(void) {
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
  for (int round = 0; round < warm; ++round) each_call(round, copy);
  char text[MPI_MAX_ERROR_STRING] = "";
  int length;
  if (rank == size - 1) sleep(2);
  fill(received, -1);
  const int code = broadcast(0, copy);
  expect(code != MPI_SUCCESS, "the code of a call that was given up");
  MPI_Error_string(code, text, &length);
  expect(strstr(text, "TYPEWARP_TIME_LIMIT_MS") != NULL, text);
  for (int round = 0; round < warm; ++round) each_call(round, copy);
  MPI_Comm_free(&copy);
}

/// Of host memory, when some ranks have used a GPU: nobody has called NCCL, as not all have device memory in a call.
static void once(void) {
  memset(values, rank == 0 ? 7 : 0, sizeof values);
  MPI_Bcast(rank == 0 ? values : received, numbers, MPI_INT, 0, MPI_COMM_WORLD);
  added = 0;
  for (int round = 0; round < rounds; ++round) MPI_Bcast(values, numbers, MPI_INT, 0, MPI_COMM_WORLD);
  if (added != rounds) fprintf(stderr, "rank %d: %d calls of the MPI\n", rank, added);
  expect(added == rounds, "what is added");
  expect(values[numbers - 1] == 0x07070707, "MPI_Bcast");
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > most) MPI_Abort(MPI_COMM_WORLD, 2);
  memory_kind("device");
  sent = memory_get(sizeof values);
  received = memory_get(sizeof values);
  if (strcmp(argv[1], "calls") == 0) calls();
  if (strcmp(argv[1], "late") == 0) late();
  if (strcmp(argv[1], "once") == 0) once();
  if (rank == 0) fprintf(stderr, "all have agreed\n");
  memory_free(sent);
  memory_free(received);
  MPI_Finalize();
  return 0;
}
