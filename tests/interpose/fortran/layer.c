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
  const int one = 1, from_start = 0, sent = 0;
  int received = 1;
  MPI_Datatype type = MPI_INT;
  MPI_Request request;
  *code = PMPI_Ialltoallw(&sent, &one, &from_start, &type, &received, &one, &from_start, &type, MPI_COMM_SELF, &request);
  PMPI_Wait(&request, MPI_STATUS_IGNORE);
#if MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5
  *code = PMPI_Gatherv_init(&sent, 1, type, &received, &one, &from_start, type, 0, MPI_COMM_SELF, MPI_INFO_NULL, &request);
  PMPI_Request_free(&request);
#endif
}

// By its address, which is data that the dynamic linker fills in another way than slots of calls.
static int (*volatile finalize)(void);

void layer_finalize(int* code) {
  finalize = PMPI_Finalize;
  *code = finalize();
}
