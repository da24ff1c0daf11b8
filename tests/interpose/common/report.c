// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report.h"

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char* text = NULL;
static int length = 0;

void report(const char* format, ...) {
  char line[1024];
  int rank = 0;
  va_list arguments;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int n = snprintf(line, sizeof line, "rank %d: ", rank);
  va_start(arguments, format);
  n += vsnprintf(line + n, sizeof line - (size_t)n - 1, format, arguments);
  va_end(arguments);
  if (n > (int)sizeof line - 2) n = (int)sizeof line - 2;
  line[n++] = '\n';
  if (getenv("REPORT_NOW") != NULL) fwrite(line, 1, (size_t)n, stderr);
  text = realloc(text, (size_t)(length + n));
  if (text == NULL) abort();
  memcpy(text + length, line, (size_t)n);
  length += n;
}

void report_all(void) {
  int rank = 0, size = 0, total = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int* lengths = calloc(2 * (size_t)size, sizeof(int));
  int* starts = lengths + size;
  MPI_Gather(&length, 1, MPI_INT, lengths, 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) starts[i] = total, total += lengths[i];
  char* all = malloc((size_t)total + 1);
  MPI_Gatherv(text, length, MPI_CHAR, all, lengths, starts, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank == 0) fwrite(all, 1, (size_t)total, stdout);
  fflush(stdout);
  free(all);
  free(lengths);
  free(text);
  text = NULL;
  length = 0;
}
