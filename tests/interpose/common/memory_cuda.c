// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "memory.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum { host, pinned, managed, device } chosen = host;

static void expect(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return;
  fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(code));
  exit(1);
}

void memory_kind(const char* kind) {
  static const char* const names[] = {"host", "pinned", "managed", "device"};
  int known = 0, devices = 0;
  for (int i = 0; i < 4; ++i) {
    if (strcmp(kind, names[i]) == 0) chosen = i, known = 1;
  }
  if (!known) {
    fprintf(stderr, "'%s': must be host, pinned, managed or device\n", kind);
    exit(2);
  }
  if (chosen == host || (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0)) return;
  fprintf(stderr, "skipped: no memory of kind %s without a GPU\n", kind);
  exit(77);
}

int memory_is_host(void) { return chosen != device; }

void memory_device(int rank) {
  int devices = 0;
  if (chosen == host) return;
  expect(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  expect(cudaSetDevice(rank % devices), "cudaSetDevice");
}

void* memory_get(size_t bytes) {
  void* memory = NULL;
  if (bytes == 0) bytes = 1;
  switch (chosen) {
    case host:
      memory = malloc(bytes);
      if (memory == NULL) abort();
      break;
    case pinned:
      expect(cudaMallocHost(&memory, bytes), "cudaMallocHost");
      break;
    case managed:
      expect(cudaMallocManaged(&memory, bytes, cudaMemAttachGlobal), "cudaMallocManaged");
      break;
    case device:
      expect(cudaMalloc(&memory, bytes), "cudaMalloc");
      break;
  }
  return memory;
}

void memory_free(void* memory) {
  if (chosen == host) {
    free(memory);
  } else {
    expect(chosen == pinned ? cudaFreeHost(memory) : cudaFree(memory), "cudaFree");
  }
}

static void copy(void* to, const void* from, size_t bytes) {
  if (chosen != device) {
    memcpy(to, from, bytes);
    return;
  }
  expect(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "cudaMemcpy");
  expect(cudaStreamSynchronize(cudaStreamLegacy), "cudaStreamSynchronize");
}

void memory_write(void* memory, const void* from, size_t bytes) { copy(memory, from, bytes); }

void memory_read(void* to, const void* memory, size_t bytes) { copy(to, memory, bytes); }

size_t memory_of_device(void) {
  size_t unused = 0, total = 0;
  if (chosen == host) return 0;
  expect(cudaMemGetInfo(&unused, &total), "cudaMemGetInfo");
  return total - unused;
}
