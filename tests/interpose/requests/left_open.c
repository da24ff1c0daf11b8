// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
// usage: left_open <kind of memory> <what>: programs that come to an end with something under way. None may
// hang; what the MPI says of it is its choice.
#include "../common/memory.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { numbers = 1 << 18 };
static int *from, *to;

/// In MPI_Finalize, all ranks have made the calls, and nobody waits for them.
static void reductions(void) {
  MPI_Request request;
  for (int i = 0; i < 3; ++i) MPI_Iallreduce(from, to, numbers, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
}

/// In MPI_Finalize, a persistent one is started, and another is not.
static void persistent(void) {
#if MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5
  MPI_Request requests[2];
  for (int i = 0; i < 2; ++i)
    MPI_Allreduce_init(from, to, numbers, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[i]);
  MPI_Start(&requests[0]);
#endif
}

/// A call that one rank never makes: nothing of it can come to an end.
static void lonely(void) {
  MPI_Request request;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(from, to, numbers, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Iallreduce(from, to, numbers, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank != 0) MPI_Iallreduce(from, to, numbers, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
}

/// A reduction in which one rank gives more numbers than the others, who cannot receive them: all hear of
/// that.
static void differing(void) {
  enum { more = 3 * 64 };
  MPI_Request request;
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Iallreduce(from, to, rank == size - 1 ? numbers : numbers - more, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                 &request);
  printf("rank %d: %s\n", rank, MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS ? "success" : "heard");
}

/// A window that is freed within an epoch with operations that no call has completed.
static void window(void) {
  MPI_Win win;
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Win_create(to, numbers * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  MPI_Win_fence(0, win);
  MPI_Put(from, numbers, MPI_INT, (rank + 1) % size, 0, numbers, MPI_INT, win);
  MPI_Get(from, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
  printf("rank %d: freed: %s\n", rank, MPI_Win_free(&win) == MPI_SUCCESS ? "success" : "an error");
}

/// A dynamic window that nobody frees, nor detaches anything from.
static void attached(void) {
  MPI_Win win;
  MPI_Aint own, places[8];
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_attach(win, to, numbers * sizeof(int));
  MPI_Get_address(to, &own);
  MPI_Allgather(&own, 1, MPI_AINT, places, 1, MPI_AINT, MPI_COMM_WORLD);
  MPI_Win_fence(0, win);
  MPI_Put(from, numbers, MPI_INT, (rank + 1) % size, places[(rank + 1) % size], numbers, MPI_INT, win);
  MPI_Win_fence(0, win);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } all[] = {{"reductions", reductions}, {"persistent", persistent}, {"lonely", lonely},
             {"differing", differing},   {"window", window},         {"attached", attached}};
  if (argc != 3) return 2;
  memory_kind(argv[1]);
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  memory_device(rank);
  from = memory_get(numbers * sizeof(int));
  to = memory_get(numbers * sizeof(int));
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
    if (strcmp(argv[2], all[i].name) == 0) all[i].run();
  }
  MPI_Finalize();
  printf("rank %d: at its end\n", rank);
  return 0;
}
