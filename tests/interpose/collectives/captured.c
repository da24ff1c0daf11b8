// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Blocking calls on a stream that is being captured, of each kind that GPUs make at once: they fail in all ranks, or have moved
// what they should when they return. Those before and after are right.
//
// usage: captured <kind of memory>
#include "../common/device_rounds.h"
#include "../common/report.h"

#include <cuda_runtime_api.h>
#include <string.h>

enum { words = 30000, rounds = 6, captured = 3 };

static int *in, *out, *host;

static int call(int kind) {
  switch (kind) {
    case 0:
      return MPI_Bcast(rank == 0 ? in : out, words, MPI_INT, 0, MPI_COMM_WORLD);
    case 1:
      return MPI_Allreduce(in, out, words, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    default:
      return MPI_Alltoall(in, words / size, MPI_INT, out, words / size, MPI_INT, MPI_COMM_WORLD);
  }
}

static void check(int kind, int value) {
  memory_read(host, kind == 0 && rank == 0 ? in : out, words * sizeof(int));
  for (int i = 0; i < words / size * size; ++i) expect(host[i] == value, "a number");
}

int main(int argc, char** argv) {
  begin_program(&argc, &argv, "host");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int on_device = argc > 1 && strcmp(argv[1], "device") == 0;
  in = memory_get(words * sizeof(int));
  out = memory_get(words * sizeof(int));
  host = malloc(words * sizeof(int));
  cudaStream_t stream = NULL;
  if (on_device) {
    char text[32];
    MPI_Info info;
    expect(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess, "a stream");
    snprintf(text, sizeof text, "0x%llx", (unsigned long long)stream);
    MPI_Info_create(&info);
    MPI_Info_set(info, "typewarp_stream", text);
    MPI_Comm_set_info(MPI_COMM_WORLD, info);
    MPI_Info_free(&info);
  }
  for (int kind = 0; kind < 3; ++kind) {
    for (round_now = 0; round_now < rounds; ++round_now) {
      const int captures = on_device && round_now == captured;
      for (int i = 0; i < words; ++i) host[i] = round_now + 1;
      memory_write(in, host, words * sizeof(int));
      cudaGraph_t graph = NULL;
      if (captures) cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
      const int code = call(kind);
      if (captures) cudaStreamEndCapture(stream, &graph);
      if (graph != NULL) cudaGraphDestroy(graph);
      expect(captures || code == MPI_SUCCESS, "a call");
      if (code == MPI_SUCCESS) check(kind, round_now + 1);
    }
  }
  report("all is right");
  if (on_device) cudaStreamDestroy(stream);
  memory_free(in);
  memory_free(out);
  free(host);
  report_all();
  MPI_Finalize();
  return 0;
}
