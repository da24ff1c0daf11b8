// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The one-sided calls of epochs.c in windows of the kind's memory and of both, made at once or attached later; and counters and
// numbers that ranks combine there.
#include "epochs.h"

#include "../common/memory.h"
#include "../common/report.h"
#include "groups.h"
#include "message.h"

#include <stdlib.h>
#include <string.h>

/// Counters: what all ranks add at once is all there.
static void try_atomicity(MPI_Win win) {
  enum { times = 50 };
  long one = 1, before = 0;
  if (world.rank == 1) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    long nothing[2] = {0, 0};
    store(nothing, sizeof nothing);
    MPI_Win_unlock(1, win);
  }
  MPI_Barrier(world.comm);
  MPI_Win_lock_all(0, win);
  for (int i = 0; i < times; ++i) {
    MPI_Fetch_and_op(&one, &before, MPI_LONG, 1, window.places[1], MPI_SUM, win);
    MPI_Win_flush(1, win);
    MPI_Accumulate(&one, 1, MPI_LONG, 1, window.places[1] + (MPI_Aint)sizeof(long), 1, MPI_LONG, MPI_SUM, win);
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(world.comm);
  if (world.rank == 1) {
    long counted[2];
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    look(counted, sizeof counted);
    MPI_Win_unlock(1, win);
    report("counted: %ld %ld", counted[0], counted[1]);
  }
  MPI_Barrier(world.comm);
}

/// What one GPU combines in the memory of another: numbers one behind the other.
static void try_numbers(MPI_Win win) {
  enum { n = 100 };
  int numbers[n], sum = 0;
  int *const origin = memory_get(sizeof numbers), *const result = memory_get(sizeof numbers);
  for (int i = 0; i < n; ++i) numbers[i] = 1000 * world.rank + i;
  memory_write(origin, numbers, sizeof numbers);
  memory_write(result, numbers, sizeof numbers);
  MPI_Win_fence(0, win);
  TWIN(MPI_Put, origin, n, MPI_INT, world.right, window.places[world.right], n, MPI_INT, win);
  MPI_Win_fence(0, win);
  TWIN(MPI_Accumulate, origin, n, MPI_INT, world.right, window.places[world.right], n, MPI_INT, MPI_SUM, win);
  MPI_Win_fence(0, win);
  TWIN(MPI_Get_accumulate, origin, n, MPI_INT, result, n, MPI_INT, world.right, window.places[world.right], n, MPI_INT, MPI_SUM, win);
  MPI_Win_fence(0, win);
  memory_read(numbers, result, sizeof numbers);
  for (int i = 0; i < n; ++i) sum += (1 + i % 7) * numbers[i];
  report("numbers before: %d, the last %d", sum, numbers[n - 1]);
  TWIN(MPI_Get, result, n, MPI_INT, world.right, window.places[world.right], n, MPI_INT, win);
  MPI_Win_fence(0, win);
  memory_read(numbers, result, sizeof numbers);
  report("numbers: the last %d", numbers[n - 1]);
  memory_free(origin);
  memory_free(result);
}

static void try_window_of(int of_kind) {
  MPI_Win win;
  void* told = NULL;
  MPI_Aint* bytes_told = NULL;
  int *unit_told = NULL, found[3] = {0, 0, 0};
  window.is_of_kind = of_kind;
  window.base = of_kind ? memory_get(window_bytes) : malloc(window_bytes);
  const int code = TWIN(MPI_Win_create, window.base, window_bytes, 1, MPI_INFO_NULL, world.comm, &win);
  MPI_Win_get_attr(win, MPI_WIN_BASE, &told, &found[0]);
  MPI_Win_get_attr(win, MPI_WIN_SIZE, &bytes_told, &found[1]);
  MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &unit_told, &found[2]);
  report("window: %s, %d %d %d: %d %ld %d", error_text(code), found[0], found[1], found[2], told == window.base,
         (long)*bytes_told, *unit_told);
  try_all(1 + world.large, win);
  try_atomicity(win);
  try_numbers(win);
  MPI_Win_free(&win);
  if (of_kind) memory_free(window.base);
  if (!of_kind) free(window.base);
}

void group_created(void) {
  try_window_of(1);
  try_window_of(world.rank == 0);
}

/// The same window, to which other memory is attached as well, which nothing may touch.
static void try_attached(int of_kind) {
  enum { around = 1000 };
  static char host[around];
  MPI_Win win;
  MPI_Aint own;
  int touched = 0;
  window.is_of_kind = of_kind;
  window.base = of_kind ? memory_get(window_bytes) : malloc(window_bytes);
  char *const other = memory_get(around), *const another = malloc(around);
  memset(host, 3, around);
  memory_write(other, host, around);
  memset(another, 3, around);
  MPI_Get_address(window.base, &own);
  MPI_Allgather(&own, 1, MPI_AINT, window.places, 1, MPI_AINT, world.comm);
  MPI_Win_create_dynamic(MPI_INFO_NULL, world.comm, &win);
  MPI_Win_attach(win, other, around);
  MPI_Win_attach(win, another, around);
  report("attached: %s", error_text(MPI_Win_attach(win, window.base, window_bytes)));
  MPI_Win_detach(win, other);
  MPI_Barrier(world.comm);
  try_all(7 + world.large, win);
  try_atomicity(win);
  try_numbers(win);
  report("detached: %s", error_text(MPI_Win_detach(win, window.base)));
  MPI_Win_detach(win, another);
  MPI_Win_free(&win);
  memory_read(host, other, around);
  for (int i = 0; i < around; ++i) touched += host[i] != 3 || another[i] != 3;
  report("touched: %d", touched);
  memory_free(other);
  free(another);
  if (of_kind) memory_free(window.base);
  if (!of_kind) free(window.base);
  memset(window.places, 0, sizeof window.places);
}

void group_attached(void) {
  try_attached(1);
  try_attached(world.rank == 0);
}
