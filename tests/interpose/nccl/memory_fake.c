// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// common/memory.h for the fake device: kind device is what it is told of.

#define _GNU_SOURCE
#include "../common/memory.h"

#include "fake_gpu.h"
#include "../../transport/fake_device/fake_share.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int on_device = 0;

void memory_kind(const char* kind) { on_device = strcmp(kind, "device") == 0; }
int memory_is_host(void) { return !on_device; }
int memory_is_moved_by_device(void) { return on_device; }
void memory_device(int rank) { (void)rank; }

/// Where a device's memory lies that other processes may map; page by page, as files are.
static size_t mapped_bytes(size_t bytes) { return (bytes + 4096) / 4096 * 4096; }

static void* shared(size_t bytes) {
  char fresh[64], path[64];
  snprintf(fresh, sizeof fresh, "/dev/shm/fake_gpu_%ld_new", (long)getpid());
  const int file = open(fresh, O_CREAT | O_RDWR | O_TRUNC | O_CLOEXEC, 0600);
  const size_t mapped = mapped_bytes(bytes);
  if (file < 0 || ftruncate(file, (off_t)mapped) != 0) abort();
  void* memory = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  path_of_shared(path, sizeof path, (long)getpid(), (uint64_t)(uintptr_t)memory);
  if (memory == MAP_FAILED || rename(fresh, path) != 0) abort();
  return memory;
}

static struct {
  void* memory;
  size_t mapped;
} known[1000];

static void know(void* memory, size_t mapped) {
  for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
    if (known[i].memory != NULL) continue;
    known[i].memory = memory;
    known[i].mapped = mapped;
    return;
  }
  abort();
}

static void free_shared(void* memory) {
  char path[64];
  for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
    if (known[i].memory != memory) continue;
    munmap(memory, known[i].mapped);
    known[i].memory = NULL;
    path_of_shared(path, sizeof path, (long)getpid(), (uint64_t)(uintptr_t)memory);
    unlink(path);
    return;
  }
}

/// What the program leaves.
__attribute__((destructor)) static void unlink_known(void) {
  char path[64];
  for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
    if (known[i].memory == NULL) continue;
    path_of_shared(path, sizeof path, (long)getpid(), (uint64_t)(uintptr_t)known[i].memory);
    unlink(path);
  }
}

void* memory_get(size_t bytes) {
  if (bytes == 0) bytes = 1;
  const int is_shared = on_device && getenv("FAKE_GPU_MAPPED") != NULL;
  void* memory = is_shared ? shared(bytes) : malloc(bytes);
  if (memory == NULL) abort();
  if (is_shared) know(memory, mapped_bytes(bytes));
  if (on_device) fake_gpu_add(memory, bytes);
  return memory;
}

void memory_free(void* memory) {
  if (on_device) fake_gpu_remove(memory);
  if (on_device && getenv("FAKE_GPU_MAPPED") != NULL) {
    free_shared(memory);
  } else {
    free(memory);
  }
}

void memory_write(void* memory, const void* host, size_t bytes) { memcpy(memory, host, bytes); }
void memory_read(void* host, const void* memory, size_t bytes) { memcpy(host, memory, bytes); }
size_t memory_of_device(void) { return 0; }
