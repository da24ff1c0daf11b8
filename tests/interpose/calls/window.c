// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One-sided calls, each in an epoch of its own, and calls that make memory a window: of a device's the MPI cannot, and
// where the library cannot either it is an error that names the call.
#include "../common/memory.h"
#include "../common/report.h"
#include "groups.h"
#include "message.h"

enum { elements = 20 };

static void fill(int* memory, int seed) {
  int host[elements];
  for (int i = 0; i < elements; ++i) host[i] = seed + 3 * i;
  memory_write(memory, host, sizeof host);
}

static long sum(const int* memory) {
  int host[elements];
  long total = 0;
  memory_read(host, memory, sizeof host);
  for (int i = 0; i < elements; ++i) total += (long)(i % 17 + 1) * host[i];
  return total;
}

static void tell(const char* name, int code, const int* origin, const int* result) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (code != MPI_SUCCESS) MPI_Error_string(code, text, &length);
  report("%s%s: %s, %ld %ld %s", name, world.large ? " large" : "", error_text(code), sum(origin), sum(result), text);
}

#define ORIGIN origin, elements, MPI_INT
#define RESULT result, elements, MPI_INT
#define TARGET world.right, 0, elements, MPI_INT
/// One call in an epoch of its own.
#define TRY(call, ...)                                    \
  do {                                                    \
    MPI_Request request = MPI_REQUEST_NULL;               \
    fill(origin, world.rank);                             \
    fill(result, 100);                                    \
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, world.right, 0, win); \
    const int code = call(__VA_ARGS__);                   \
    if (request != MPI_REQUEST_NULL) MPI_Wait(&request, MPI_STATUS_IGNORE); \
    MPI_Win_unlock(world.right, win);                     \
    MPI_Barrier(world.comm);                              \
    tell(#call, code, origin, result);                    \
  } while (0)
#define TRY_TWIN(call, ...) \
  if (world.large) TRY(call##_c, __VA_ARGS__); else TRY(call, __VA_ARGS__)
#if MPI_VERSION < 4
#undef TRY_TWIN
#define TRY_TWIN TRY
#endif

void group_window(void) {
  int *origin = memory_get(elements * sizeof(int)), *result = memory_get(elements * sizeof(int)), *base;
  MPI_Win win;
  MPI_Win_allocate(elements * sizeof(int), sizeof(int), MPI_INFO_NULL, world.comm, &base, &win);
  for (int i = 0; i < elements; ++i) base[i] = 1000 * world.rank + i;
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(world.comm, MPI_ERRORS_RETURN);
  MPI_Barrier(world.comm);
  TRY_TWIN(MPI_Put, ORIGIN, TARGET, win);
  TRY_TWIN(MPI_Get, ORIGIN, TARGET, win);
  TRY_TWIN(MPI_Accumulate, ORIGIN, TARGET, MPI_SUM, win);
  TRY_TWIN(MPI_Get_accumulate, ORIGIN, RESULT, TARGET, MPI_SUM, win);
  TRY_TWIN(MPI_Rput, ORIGIN, TARGET, win, &request);
  TRY_TWIN(MPI_Rget, ORIGIN, TARGET, win, &request);
  TRY_TWIN(MPI_Raccumulate, ORIGIN, TARGET, MPI_SUM, win, &request);
  TRY_TWIN(MPI_Rget_accumulate, ORIGIN, RESULT, TARGET, MPI_SUM, win, &request);
  TRY(MPI_Fetch_and_op, origin, result, MPI_INT, world.right, 0, MPI_SUM, win);
  TRY(MPI_Fetch_and_op, NULL, result, MPI_INT, world.right, 1, MPI_NO_OP, win);
  TRY(MPI_Compare_and_swap, origin, result, result, MPI_INT, world.right, 0, win);
  MPI_Win_free(&win);
  MPI_Comm_set_errhandler(world.comm, MPI_ERRORS_ARE_FATAL);
  memory_free(origin);
  memory_free(result);
}

/// A buffer that a program would expose to others, with errors returned.
static int* exposed(void) {
  int* const buffer = memory_get(elements * sizeof(int));
  fill(buffer, world.rank);
  MPI_Comm_set_errhandler(world.comm, MPI_ERRORS_RETURN);
  return buffer;
}

static void expose_no_more(int* buffer) {
  MPI_Comm_set_errhandler(world.comm, MPI_ERRORS_ARE_FATAL);
  memory_free(buffer);
}

void group_create(void) {
  int* const buffer = exposed();
  MPI_Win win;
  const int code = TWIN(MPI_Win_create, buffer, elements * sizeof(int), sizeof(int), MPI_INFO_NULL, world.comm, &win);
  tell("MPI_Win_create", code, buffer, buffer);
  if (code == MPI_SUCCESS) MPI_Win_free(&win);
  expose_no_more(buffer);
}

void group_attach(void) {
  int* const buffer = exposed();
  MPI_Win win;
  MPI_Win_create_dynamic(MPI_INFO_NULL, world.comm, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  const int code = MPI_Win_attach(win, buffer, elements * sizeof(int));
  tell("MPI_Win_attach", code, buffer, buffer);
  if (code == MPI_SUCCESS) MPI_Win_detach(win, buffer);
  MPI_Win_free(&win);
  expose_no_more(buffer);
}
