// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Such a library as Open MPI's for Fortran: its calls are PMPI calls. Its name is one that is known as such.
#include <mpi.h>

void layer_init(int* code);
void layer_sendrecv(void* sent, void* received, const int* count, const int* right, const int* left, int* code);
void layer_left(int* code);
void layer_finalize(int* code);

void layer_init(int* code) { *code = PMPI_Init(0, 0); }

void layer_sendrecv(void* sent, void* received, const int* count, const int* right, const int* left, int* code) {
  *code = PMPI_Sendrecv(sent, *count, MPI_INT, *right, 1, received, *count, MPI_INT, *left, 1, MPI_COMM_WORLD,
                        MPI_STATUS_IGNORE);
}

// Open MPI's library writes into the requests of these.
void layer_left(int* code) {
  MPI_Request request;
  MPI_Datatype types[64];
  int nothing[64] = {0}, size = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > 64) PMPI_Abort(MPI_COMM_WORLD, 1);
  for (int i = 0; i < size; ++i) types[i] = MPI_INT;
  *code = PMPI_Ialltoallw(nothing, nothing, nothing, types, nothing, nothing, nothing, types, MPI_COMM_WORLD, &request);
  PMPI_Wait(&request, MPI_STATUS_IGNORE);
#if MPI_VERSION >= 4
  *code = PMPI_Gatherv_init(nothing, 0, MPI_INT, nothing, nothing, nothing, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                            &request);
  PMPI_Request_free(&request);
#endif
}

// By its address, which is data that the dynamic linker fills in another way than slots of calls.
static int (*volatile finalize)(void);

void layer_finalize(int* code) {
  finalize = PMPI_Finalize;
  *code = finalize();
}
