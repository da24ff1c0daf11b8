// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// usage: readiness_threads <library>
// As readiness.c, with threads: while rank 1 gets ready, one of its threads receives, one probes on a
// communicator of its own, and one tests receives from before. None may get what only the library
// understands.
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { rounds = 400, before = 40, loads = 100, longest = 100000, sizes = 5 };

static const int size_of[sizes] = {509, 8, 20000, 509, longest};  // 509: as long as an announcement
static MPI_Comm probed, early;

static void fill(char* data, int bytes, int seed) {
  for (int i = 0; i < bytes; ++i) data[i] = (char)(seed + i % 101);
}

static void expect(const char* data, int bytes, int seed, const char* where) {
  for (int i = 0; i < bytes; ++i) {
    if (data[i] == (char)(seed + i % 101)) continue;
    fprintf(stderr, "%s, message %d of %d bytes: byte %d is wrong\n", where, seed, bytes, i);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static void send(MPI_Comm comm, int tag, int bytes) {
  static char data[longest];
  fill(data, bytes, tag);
  MPI_Send(data, bytes, MPI_CHAR, 1, tag, comm);
}

static void* probe(void* nothing) {
  static char data[longest];
  for (int round = 0; round < rounds; ++round) {
    MPI_Status status;
    MPI_Message message;
    int there = 0, bytes = 0;
    if (round % 2 == 0) {
      while (there == 0) MPI_Improbe(0, MPI_ANY_TAG, probed, &there, &message, &status);
    } else {
      MPI_Mprobe(0, MPI_ANY_TAG, probed, &message, &status);
    }
    MPI_Get_count(&status, MPI_CHAR, &bytes);
    if (status.MPI_TAG != round || bytes != size_of[round % sizes]) {
      fprintf(stderr, "probed message %d of %d bytes in round %d\n", status.MPI_TAG, bytes, round);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Mrecv(data, bytes, MPI_CHAR, &message, MPI_STATUS_IGNORE);
    expect(data, bytes, round, "probed");
  }
  return nothing;
}

static char early_data[before][longest];
static MPI_Request requests[before];

static void* test(void* nothing) {
  int indices[before], done = 0, some = 0;
  while (done < before) {
    MPI_Testsome(before, requests, &some, indices, MPI_STATUSES_IGNORE);
    for (int i = 0; i < some; ++i) expect(early_data[indices[i]], longest, indices[i], "from before");
    done += some;
  }
  return nothing;
}

int main(int argc, char** argv) {
  int granted, rank;
  static char data[longest];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &granted);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &probed);
  MPI_Comm_dup(MPI_COMM_WORLD, &early);
  if (granted != MPI_THREAD_MULTIPLE) {
    printf("skipped: needs an MPI that grants MPI_THREAD_MULTIPLE\n");
  } else if (rank == 0) {
    for (int round = 0; round < rounds; ++round) {
      send(MPI_COMM_WORLD, round, size_of[round % sizes]);
      send(probed, round, size_of[round % sizes]);
      if (round % 5 == 0 && round / 5 < before) send(early, round / 5, longest);
    }
  } else {
    pthread_t threads[2];
    for (int i = 0; i < before; ++i) {
      MPI_Irecv(early_data[i], longest, MPI_CHAR, 0, i, early, &requests[i]);
    }
    pthread_create(&threads[0], NULL, probe, NULL);
    pthread_create(&threads[1], NULL, test, NULL);
    for (int round = 0; round < rounds; ++round) {
      if (round == loads && dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        MPI_Abort(MPI_COMM_WORLD, 1);
      }
      MPI_Recv(data, longest, MPI_CHAR, 0, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      expect(data, size_of[round % sizes], round, "received");
    }
    for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  }
  MPI_Comm_free(&early);
  MPI_Comm_free(&probed);
  MPI_Finalize();
  return 0;
}
