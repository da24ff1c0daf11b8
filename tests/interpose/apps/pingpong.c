// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// usage: pingpong <kind of memory> [block bytes [stride bytes [first size [last size [rounds]]]]]
// Two ranks send a vector of blocks back and forth, by MPI_Send and MPI_Recv alone, and check what came back.
// Prints for each size in bytes of data, each four times the last, the median of half a round trip in
// microseconds, and GB/s.
#include "../common/memory.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/// Byte i of a buffer as the sender fills it.
static unsigned char pattern(size_t i) { return (unsigned char)(i * 31 + i / 251); }

static void expect_blocks(const unsigned char* bytes, size_t span, size_t block, size_t stride) {
  for (size_t i = 0; i < span; ++i) {
    if (bytes[i] == (i % stride < block ? pattern(i) : 0)) continue;
    fprintf(stderr, "byte %zu is wrong\n", i);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

/// Median in seconds. The second rank has the blocks only of what it received.
static double median_of(int rank, void* buf, MPI_Datatype type, int rounds) {
  enum { warm_up = 3 };
  double* seconds = malloc((size_t)rounds * sizeof *seconds);
  for (int i = -warm_up; i < rounds; ++i) {
    const double start = MPI_Wtime();
    if (rank == 0) {
      MPI_Send(buf, 1, type, 1, 0, MPI_COMM_WORLD);
      MPI_Recv(buf, 1, type, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(buf, 1, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(buf, 1, type, 0, 0, MPI_COMM_WORLD);
    }
    if (i >= 0) seconds[i] = (MPI_Wtime() - start) / 2;
  }
  qsort(seconds, (size_t)rounds, sizeof *seconds, by_value);
  const double median = seconds[rounds / 2];
  free(seconds);
  return median;
}

static void run(int rank, size_t size, size_t block, size_t stride, int rounds) {
  const size_t blocks = size / block, span = blocks * stride;
  unsigned char* host = calloc(1, span);
  void* buf = memory_get(span);
  MPI_Datatype type;
  for (size_t i = 0; i < span && rank == 0; ++i) host[i] = pattern(i);
  memory_write(buf, host, span);
  MPI_Type_vector((int)blocks, (int)block, (int)stride, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  MPI_Barrier(MPI_COMM_WORLD);
  const double median = median_of(rank, buf, type, rounds);
  memory_read(host, buf, span);
  if (rank == 1) expect_blocks(host, span, block, stride);
  if (rank == 0)
    printf("%zu B: %.2f us, %.2f GB/s\n", blocks * block, median * 1e6,
           (double)(blocks * block) / median / 1e9);
  MPI_Type_free(&type);
  memory_free(buf);
  free(host);
}

int main(int argc, char** argv) {
  size_t numbers[5] = {8, 64, 1 << 10, 1 << 20, 20};  // block, stride, first size, last size, rounds
  int rank = 0, ranks = 0;
  if (argc < 2) {
    fprintf(stderr, "usage: pingpong <kind> [block [stride [first [last [rounds]]]]]\n");
    return 2;
  }
  for (int i = 2; i < argc && i < 7; ++i) numbers[i - 2] = strtoul(argv[i], NULL, 10);
  memory_kind(argv[1]);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  memory_device(rank);
  if (ranks != 2) MPI_Abort(MPI_COMM_WORLD, 2);
  for (size_t size = numbers[2]; size <= numbers[3]; size *= 4)
    run(rank, size, numbers[0], numbers[1], (int)numbers[4]);
  MPI_Finalize();
  return 0;
}
