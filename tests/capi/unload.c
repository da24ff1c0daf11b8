// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The library can be closed while it has threads, and loaded again: argv[1] is its file.
#include <typewarp.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { megabytes = 8, bytes = megabytes << 20, threads = 2 };

static void expect(int holds, const char* what) {
  if (holds) return;
  printf("not so: %s\n", what);
  exit(1);
}

/// POSIX lets data pointers be those of functions; C does not.
#define FIND(name)                          \
  *(void**)(&name) = dlsym(library, #name); \
  expect(name != NULL, #name)

static void use(const char* path, const char* from, char* to) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  expect(library != NULL, "dlopen");
  const tw_datatype* (*tw_datatype_named)(int);
  tw_result (*tw_plan_commit)(const tw_datatype*, tw_plan**);
  tw_result (*tw_host_pack)(const void*, int64_t, const tw_plan*, void*, const tw_byte_range*, int);
  void (*tw_plan_free)(tw_plan*);
  FIND(tw_datatype_named);
  FIND(tw_plan_commit);
  FIND(tw_host_pack);
  FIND(tw_plan_free);
  tw_plan* plan = NULL;
  expect(tw_plan_commit(tw_datatype_named(TW_BYTE), &plan) == TW_SUCCESS, "commit");
  memset(to, 0, bytes);
  expect(tw_host_pack(from, bytes, plan, to, NULL, threads) == TW_SUCCESS, "pack");
  expect(memcmp(from, to, bytes) == 0, "packed");
  tw_plan_free(plan);
  expect(dlclose(library) == 0, "dlclose");
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  char *from = malloc(bytes), *to = malloc(bytes);
  for (int i = 0; i < bytes; ++i) from[i] = (char)(i * 7 + i / 1000);
  for (int i = 0; i < 3; ++i) use(argv[1], from, to);
  free(from);
  free(to);
  printf("as expected\n");
  return 0;
}
