// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// usage: late_gpu <library>
// Exchanges of blocks that messages of the preloaded library carry where a rank may use a GPU: after the 100th,
// the last rank loads the library, a driver of CUDA. All ranks must change in the same one, when they next ask each
// other. How many messages that makes is told by the library's statistics: none of the exchanges that block before
// then, and all of those that do not block.
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { exchanges = 300, before = 100, every = 10, bytes = 1024, most = 4 };

static int rank, size;

struct side {
  char sent[most * bytes], received[most * bytes];
};

static void fill(struct side* side, int number) {
  for (int i = 0; i < size; ++i) memset(side->sent + i * bytes, number + 5 * rank + i, bytes);
  memset(side->received, -1, sizeof side->received);
}

static void expect(const struct side* side, int number) {
  char right[bytes];
  for (int i = 0; i < size; ++i) {
    memset(right, number + 5 * i + rank, bytes);
    if (memcmp(right, side->received + i * bytes, bytes) == 0) continue;
    fprintf(stderr, "exchange %d: what came from rank %d is wrong\n", number, i);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

int main(int argc, char** argv) {
  static struct side block, other;
  int counts[most], places[most];
  MPI_Datatype types[most];
  if (argc < 2) return 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < size; ++i) {
    counts[i] = bytes;
    places[i] = i * bytes;
    types[i] = MPI_CHAR;
  }
  for (int number = 1; number <= exchanges; ++number) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (number == before + 1 && rank == size - 1 && dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) == NULL) {
      fprintf(stderr, "%s\n", dlerror());
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    fill(&block, number);
    fill(&other, -number);
    if (number % every == 0)
      MPI_Ialltoallv(other.sent, counts, places, MPI_CHAR, other.received, counts, places, MPI_CHAR,
                     MPI_COMM_WORLD, &request);
    if (number % 2 == 0) {
      MPI_Alltoallv(block.sent, counts, places, MPI_CHAR, block.received, counts, places, MPI_CHAR,
                    MPI_COMM_WORLD);
    } else {
      MPI_Alltoallw(block.sent, counts, places, types, block.received, counts, places, types, MPI_COMM_WORLD);
    }
    expect(&block, number);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (number % every == 0) expect(&other, -number);
  }
  MPI_Finalize();
  return 0;
}
