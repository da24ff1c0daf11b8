// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "steps.h"

#include "../common/memory.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { gap = -1, error_status = 3, wrong_status, waited_status };

int rank, size, other;
int goes_on = 0;
int failed = 0;
int is_of_all = 1;
int tag = 0;
int *sent, *received, *host;
MPI_Datatype column;

static const char* step = "MPI_Init";

static void end_job(int status) {
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, status);
  _exit(status);
}

void check(int code, const char* call) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (code == MPI_SUCCESS) return;
  MPI_Error_string(code, text, &length);
  const int waited = is_of_all && strstr(text, "TYPEWARP_TIME_LIMIT_MS") != NULL;
  fprintf(stderr, "%s: rank %d, %s: %s: %s\n", waited ? "waited" : "error", rank, step, call, text);
  if (waited) end_job(waited_status);
  if (!goes_on) end_job(error_status);
  failed = 1;
}

int some_failed(void) {
  int some = failed;
  PMPI_Allreduce(&failed, &some, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return some;
}

void get_buffers(void) {
  const size_t bytes = (size_t)(2 * columns * most_rows) * sizeof(int);
  sent = memory_get(bytes);
  received = memory_get(bytes);
}

int value(int from, int i) { return 1000003 * from + 7 * i; }

void fill(int* memory, int n) {
  for (int i = 0; i < columns * n; ++i) host[i] = i % columns == 0 ? value(rank, i / columns) : gap;
  memory_write(memory, host, (size_t)(columns * n) * sizeof(int));
}

// A message that was given up may still use the buffers of the step that failed.
void begin(const char* name) {
  if (some_failed()) {
    get_buffers();
    fill(sent, 2 * most_rows);
  }
  failed = 0;
  step = name;
}

void clear(int n) {
  for (int i = 0; i < columns * n; ++i) host[i] = gap;
  memory_write(received, host, (size_t)(columns * n) * sizeof(int));
}

void wrong(int i, int expected) {
  fprintf(stderr, "wrong: rank %d, %s: number %d is %d, not %d\n", rank, step, i, host[i], expected);
  end_job(wrong_status);
}

void expect_rows(const int* memory, int at, int from, int first, int n) {
  if (failed) return;
  memory_read(host, memory, (size_t)(columns * (at + n)) * sizeof(int));
  for (int i = 0; i < columns * n; ++i) {
    const int expected = i % columns == 0 ? value(from, first + i / columns) : gap;
    if (host[columns * at + i] != expected) wrong(columns * at + i, expected);
  }
}

void expect_sum(const int* memory, int n) {
  if (failed) return;
  memory_read(host, memory, (size_t)n * sizeof(int));
  for (int i = 0; i < n; ++i) {
    int expected = 0;
    for (int r = 0; r < size; ++r) expected += value(r, i);
    if (host[i] != expected) wrong(i, expected);
  }
}
