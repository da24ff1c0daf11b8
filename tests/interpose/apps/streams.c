// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Work of a default stream that was given to the GPU before an MPI call is seen by it, with no
// synchronisation between: what is sent is what that work wrote, and what is received is not overwritten by
// it. The same of a stream that is no blocking one, where the communicator or the thread names it. Two ranks;
// exits with 77 without a GPU.
#define _GNU_SOURCE
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/memory.h"

enum { bytes = 4 << 20, block = 8, stride = 32, long_work = 400 };

static int rank;
static unsigned char *buf, *elsewhere, *host;

static void expect(int condition, const char* stream, const char* what) {
  if (condition) return;
  fprintf(stderr, "rank %d, %s: %s\n", rank, stream, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/// Fills the buffer, after some milliseconds.
static void fill_late(cudaStream_t stream, int value) {
  for (int i = 0; i < long_work; ++i) cudaMemsetAsync(elsewhere, i, 16 * bytes, stream);
  cudaMemsetAsync(buf, value, bytes, stream);
}

static void try_stream(const char* name, cudaStream_t stream, MPI_Datatype type, MPI_Comm comm) {
  const int sent = 7, before = 3;
  MPI_Request request;
  for (int way = 0; way < 2; ++way) {
    fill_late(stream, rank == 0 ? sent : before);
    if (rank == 0 && way == 0) MPI_Send(buf, 1, type, 1, 0, comm);
    if (rank == 1 && way == 0) MPI_Recv(buf, 1, type, 0, 0, comm, MPI_STATUS_IGNORE);
    if (rank == 0 && way == 1) MPI_Isend(buf, 1, type, 1, 0, comm, &request);
    if (rank == 1 && way == 1) MPI_Irecv(buf, 1, type, 0, 0, comm, &request);
    if (way == 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
    memory_read(host, buf, bytes);
    for (int i = 0; i < bytes && rank == 1; ++i) {
      expect(host[i] == (i % stride < block ? sent : before), name,
             "the message and earlier work are out of order");
    }
    // After the call the memory may be written anew at once.
    cudaMemsetAsync(buf, 0, bytes, stream);
    cudaStreamSynchronize(stream);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/// A communicator whose messages are ordered with that stream.
static MPI_Comm ordered_with(cudaStream_t stream) {
  char value[32];
  MPI_Info info;
  MPI_Comm comm;
  snprintf(value, sizeof value, "%p", (void*)stream);
  MPI_Info_create(&info);
  MPI_Info_set(info, "typewarp_stream", value);
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
  MPI_Info_free(&info);
  return comm;
}

static void try_named_streams(MPI_Datatype type) {
  cudaStream_t stream;
  void (*set_stream)(void*) = (void (*)(void*))dlsym(RTLD_DEFAULT, "typewarp_set_stream");
  expect(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess, "stream", "none is made");
  MPI_Comm comm = ordered_with(stream);
  try_stream("stream of the communicator", stream, type, comm);
  MPI_Comm_free(&comm);
  expect(set_stream != NULL, "stream of the thread", "cannot be given");
  set_stream(stream);
  try_stream("stream of the thread", stream, type, MPI_COMM_WORLD);
  set_stream(NULL);
  cudaStreamDestroy(stream);
}

int main(int argc, char** argv) {
  MPI_Datatype type;
  memory_kind("device");
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  memory_device(rank);
  buf = memory_get(bytes);
  elsewhere = memory_get(16 * (size_t)bytes);
  host = malloc(bytes);
  MPI_Type_vector(bytes / stride, block, stride, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  try_stream("legacy default stream", cudaStreamLegacy, type, MPI_COMM_WORLD);
  try_stream("default stream of the thread", cudaStreamPerThread, type, MPI_COMM_WORLD);
  try_named_streams(type);
  MPI_Type_free(&type);
  memory_free(elsewhere);
  memory_free(buf);
  if (rank == 0) printf("all in order\n");
  MPI_Finalize();
  free(host);
  return 0;
}
