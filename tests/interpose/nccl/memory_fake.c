// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// common/memory.h for the fake device: kind device is what it is told of.

#include "../common/memory.h"

#include "fake_gpu.h"

#include <stdlib.h>
#include <string.h>

static int on_device = 0;

void memory_kind(const char* kind) { on_device = strcmp(kind, "device") == 0; }
int memory_is_host(void) { return !on_device; }
int memory_is_moved_by_device(void) { return on_device; }
void memory_device(int rank) { (void)rank; }

void* memory_get(size_t bytes) {
  void* memory = malloc(bytes == 0 ? 1 : bytes);
  if (memory == NULL) abort();
  if (on_device) fake_gpu_add(memory, bytes == 0 ? 1 : bytes);
  return memory;
}

void memory_free(void* memory) {
  if (on_device) fake_gpu_remove(memory);
  free(memory);
}

void memory_write(void* memory, const void* host, size_t bytes) { memcpy(memory, host, bytes); }
void memory_read(void* host, const void* memory, size_t bytes) { memcpy(host, memory, bytes); }
size_t memory_of_device(void) { return 0; }
