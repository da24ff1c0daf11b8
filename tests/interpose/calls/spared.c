// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collective calls without items, and of a lone rank.
#include "../common/memory.h"
#include "../common/report.h"
#include "groups.h"
#include "message.h"

enum { elements = 100 };

static void fill(int* memory, int n, int seed) {
  static int host[elements];
  for (int i = 0; i < n; ++i) host[i] = seed + 3 * i;
  memory_write(memory, host, (size_t)n * sizeof(int));
}

static long sum(const int* memory, int n) {
  static int host[elements];
  long total = 0;
  memory_read(host, memory, (size_t)n * sizeof(int));
  for (int i = 0; i < n; ++i) total += (long)(i % 17 + 1) * host[i];
  return total;
}

void group_spared(void) {
  const size_t bytes = elements * sizeof(int);
  int* memory = memory_get(bytes);
  MPI_Request request;
  fill(memory, elements, 10 * world.rank);
  TWIN(MPI_Bcast, memory, 0, MPI_INT, 0, world.comm);
  TWIN(MPI_Allreduce, MPI_IN_PLACE, memory, 0, MPI_INT, MPI_SUM, world.comm);
  TWIN(MPI_Alltoall, memory, 0, MPI_INT, memory, 0, MPI_INT, world.comm);
  report("no items%s: %ld", world.large ? " large" : "", sum(memory, elements));
  TWIN(MPI_Bcast, memory, elements, MPI_INT, 0, MPI_COMM_SELF);
  TWIN(MPI_Allreduce, MPI_IN_PLACE, memory, elements, MPI_INT, MPI_SUM, MPI_COMM_SELF);
  TWIN(MPI_Scan, MPI_IN_PLACE, memory, elements, MPI_INT, MPI_SUM, MPI_COMM_SELF);
  TWIN(MPI_Allgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, memory, elements, MPI_INT, MPI_COMM_SELF);
  TWIN(MPI_Ireduce, MPI_IN_PLACE, memory, elements, MPI_INT, MPI_SUM, 0, MPI_COMM_SELF, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  report("alone%s: %ld", world.large ? " large" : "", sum(memory, elements));
  memory_free(memory);
}
