// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "memory.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { host, pinned, managed, device, any };
static enum kind chosen = host;

static void expect(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return;
  fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(code));
  exit(1);
}

void memory_kind(const char* kind) {
  static const char* const names[] = {"host", "pinned", "managed", "device", "any"};
  int known = 0, devices = 0;
  for (int i = host; i <= any; ++i) {
    if (strcmp(kind, names[i]) == 0) chosen = i, known = 1;
  }
  if (!known) {
    fprintf(stderr, "'%s': must be host, pinned, managed, device or any\n", kind);
    exit(2);
  }
  if (chosen == host || (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0)) return;
  fprintf(stderr, "skipped: needs a GPU\n");
  exit(77);
}

int memory_is_host(void) { return chosen < device; }

int memory_is_moved_by_device(void) { return chosen >= managed; }

void memory_device(int rank) {
  int devices = 0;
  if (chosen == host) return;
  expect(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  expect(cudaSetDevice(rank % devices), "cudaSetDevice");
}

/// Page-locked memory, which is kept: to lock the pages of a message takes far longer than to send it, and
/// longer still while other processes do so.
static struct {
  void* memory;
  size_t bytes;
  int used;
} kept[64];
enum { most_kept = sizeof(kept) / sizeof(kept[0]) };
static pthread_mutex_t keeping = PTHREAD_MUTEX_INITIALIZER;

/// The first that nobody uses of so many bytes, then used; where there is none, room to keep some, or NULL.
static void** take_kept(size_t bytes) {
  void** found = NULL;
  pthread_mutex_lock(&keeping);
  for (int i = 0; i < most_kept && found == NULL; ++i) {
    if (kept[i].used || (kept[i].memory != NULL && kept[i].bytes != bytes)) continue;
    kept[i].bytes = bytes;
    kept[i].used = 1;
    found = &kept[i].memory;
  }
  pthread_mutex_unlock(&keeping);
  return found;
}

/// Whether it was kept, and is for others now.
static int give_kept(const void* memory) {
  int found = 0;
  pthread_mutex_lock(&keeping);
  for (int i = 0; i < most_kept && !found; ++i) {
    if (kept[i].memory != memory) continue;
    kept[i].used = 0;
    found = 1;
  }
  pthread_mutex_unlock(&keeping);
  return found;
}

static void* get_pinned(size_t bytes) {
  size_t whole = 4096;
  while (whole < bytes) whole *= 2;
  void* other = NULL;
  void** const place = take_kept(whole);
  void** const memory = place != NULL ? place : &other;
  if (*memory == NULL) expect(cudaMallocHost(memory, whole), "cudaMallocHost");
  return *memory;
}

static void* get(enum kind kind, size_t bytes) {
  void* memory = NULL;
  if (bytes == 0) bytes = 1;
  switch (kind) {
    case host:
      memory = malloc(bytes);
      if (memory == NULL) abort();
      break;
    case pinned:
      // Of any kind, buffers live long, and are of many sizes.
      if (chosen == any)
        expect(cudaMallocHost(&memory, bytes), "cudaMallocHost");
      else
        memory = get_pinned(bytes);
      break;
    case managed:
      expect(cudaMallocManaged(&memory, bytes, cudaMemAttachGlobal), "cudaMallocManaged");
      break;
    default:
      expect(cudaMalloc(&memory, bytes), "cudaMalloc");
  }
  return memory;
}

void* memory_get(size_t bytes) { return get(chosen, bytes); }

/// Half of it a device's.
void* memory_get_any(unsigned random, size_t bytes) {
  static const enum kind kinds[] = {device, device, device, managed, pinned, host};
  return get(chosen == any ? kinds[random % 6] : chosen, bytes);
}

static enum kind kind_of(const void* memory) {
  struct cudaPointerAttributes found;
  if (chosen != any) return chosen;
  expect(cudaPointerGetAttributes(&found, memory), "cudaPointerGetAttributes");
  return found.type == cudaMemoryTypeDevice    ? device
         : found.type == cudaMemoryTypeManaged ? managed
         : found.type == cudaMemoryTypeHost    ? pinned
                                               : host;
}

void memory_free(void* memory) {
  const enum kind kind = kind_of(memory);
  if (kind == host) {
    free(memory);
  } else if (kind != pinned) {
    expect(cudaFree(memory), "cudaFree");
  } else if (!give_kept(memory)) {
    expect(cudaFreeHost(memory), "cudaFreeHost");
  }
}

static void copy(enum kind kind, void* to, const void* from, size_t bytes) {
  if (kind != device) {
    memcpy(to, from, bytes);
    return;
  }
  expect(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "cudaMemcpy");
  expect(cudaStreamSynchronize(cudaStreamLegacy), "cudaStreamSynchronize");
}

void memory_write(void* memory, const void* from, size_t bytes) {
  copy(kind_of(memory), memory, from, bytes);
}

void memory_read(void* to, const void* memory, size_t bytes) { copy(kind_of(memory), to, memory, bytes); }

size_t memory_of_device(void) {
  size_t unused = 0, total = 0;
  if (chosen == host) return 0;
  expect(cudaMemGetInfo(&unused, &total), "cudaMemGetInfo");
  return total - unused;
}
