// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void memory_kind(const char* kind) {
  if (strcmp(kind, "host") == 0) return;
  fprintf(stderr, "skipped: needs a build with CUDA\n");
  exit(77);
}

int memory_is_moved_by_device(void) { return 0; }
int memory_is_host(void) { return 1; }

void memory_device(int rank) { (void)rank; }

void* memory_get(size_t bytes) {
  void* memory = malloc(bytes == 0 ? 1 : bytes);
  if (memory == NULL) abort();
  return memory;
}

void* memory_get_any(unsigned random, size_t bytes) {
  (void)random;
  return memory_get(bytes);
}

void memory_free(void* memory) { free(memory); }

void memory_write(void* memory, const void* host, size_t bytes) { memcpy(memory, host, bytes); }

void memory_read(void* host, const void* memory, size_t bytes) { memcpy(host, memory, bytes); }

size_t memory_of_device(void) { return 0; }
