// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// usage: beside_messages
// Two ranks of a program that uses no GPU. Each makes nonblocking and split calls of a file of its own while it has an
// exchange with a long block under way, which the progress thread moves on: both threads are in the MPI then.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { rounds = 400, at_once = 4, items = 500, block = 100000, go_tag = 1 };

static int rank;

static void expect(int right, const char* what) {
  if (right) return;
  fprintf(stderr, "rank %d: %s: wrong\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static int value(int round, int part, int i) { return (round * at_once + part) * items + i; }

static void write_and_read(MPI_File file, int round) {
  static int written[at_once][items], read[at_once][items];
  MPI_Request requests[at_once];
  for (int part = 0; part < at_once; ++part) {
    for (int i = 0; i < items; ++i) written[part][i] = value(round, part, i), read[part][i] = -1;
    MPI_File_iwrite_at(file, part * items, written[part], items, MPI_INT, &requests[part]);
  }
  MPI_Waitall(at_once, requests, MPI_STATUSES_IGNORE);
  for (int part = 1; part < at_once; ++part)
    MPI_File_iread_at(file, part * items, read[part], items, MPI_INT, &requests[part]);
  MPI_File_read_at_all_begin(file, 0, read[0], items, MPI_INT);
  MPI_File_read_at_all_end(file, read[0], MPI_STATUS_IGNORE);
  for (int part = at_once - 1; part > 0; --part) MPI_Wait(&requests[part], MPI_STATUS_IGNORE);
  for (int part = 0; part < at_once; ++part) {
    for (int i = 0; i < items; ++i) expect(read[part][i] == value(round, part, i), "what was read");
  }
}

static void use_file(const char* representation) {
  char name[100];
  MPI_File file;
  snprintf(name, sizeof name, "/dev/shm/typewarp-beside-%d", (int)getpid());
  MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, representation, MPI_INFO_NULL);
  for (int round = 0; round < rounds; ++round) write_and_read(file, round);
  MPI_File_close(&file);
}

/// While `turn` uses its file, the other rank has not made the exchange, which so stays under way.
static void beside_an_exchange(int turn, const char* representation) {
  int* given = malloc(2 * block * sizeof(int));
  int* got = malloc(2 * block * sizeof(int));
  const int counts[] = {block, block}, places[] = {0, block};
  MPI_Request request;
  for (int i = 0; i < 2 * block; ++i) given[i] = rank * 10 + i / block, got[i] = -1;
  if (rank != turn) MPI_Recv(NULL, 0, MPI_INT, turn, go_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Ialltoallv(given, counts, places, MPI_INT, got, counts, places, MPI_INT, MPI_COMM_WORLD, &request);
  if (rank == turn) {
    use_file(representation);
    MPI_Send(NULL, 0, MPI_INT, 1 - turn, go_tag, MPI_COMM_WORLD);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < 2 * block; ++i) expect(got[i] == i / block * 10 + rank, "what was exchanged");
  free(given);
  free(got);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int turn = 0; turn < 2; ++turn) {
    beside_an_exchange(turn, "native");
#ifdef OPEN_MPI  // MPICH alone crashes
    beside_an_exchange(turn, "external32");
#endif
  }
  if (rank == 0) printf("all beside messages are right\n");
  MPI_Finalize();
  return 0;
}
