// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls that send and receive at once.
#include "../common/report.h"
#include "groups.h"
#include "message.h"

#include <stdio.h>

enum { send_tag = 5 };

#define TO(side) side.buf, side.count, side.shape.type, world.right, send_tag
#define FROM(side) side.buf, side.count, side.shape.type, world.left, MPI_ANY_TAG
#define REPLACE r.buf, r.count, r.shape.type, world.right, send_tag, world.left, send_tag, world.comm

static const char* const names[] = {"Sendrecv", "Sendrecv_replace", "Isendrecv", "Isendrecv_replace"};

/// MPICH 5.0.2 reads beyond the buffer in an MPI_Isendrecv_replace of a noncontiguous type.
static int is_sound(int call, int kind) {
#ifdef OPEN_MPI
  (void)call, (void)kind;
  return 1;
#else
  return call != 3 || kind < 3;
#endif
}

static void try_both(int call, int kind, int bytes) {
  struct side s = side_of(kind, bytes, 0, world.rank), r = side_of(kind, bytes, 0, world.rank + 50);
  MPI_Status status;
  int code = MPI_SUCCESS;
  if (call == 0) code = TWIN(MPI_Sendrecv, TO(s), FROM(r), world.comm, &status);
  if (call == 1) code = TWIN(MPI_Sendrecv_replace, REPLACE, &status);
#if MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5
  MPI_Request request = MPI_REQUEST_NULL;
  if (call == 2) code = TWIN(MPI_Isendrecv, TO(s), FROM(r), world.comm, &request);
  if (call == 3) code = TWIN(MPI_Isendrecv_replace, REPLACE, &request);
  // Of a call that does both, an MPI may say anything of source, tag and count.
  if (call >= 2) MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
  report("%s, %s %d%s: %s, %s, %016lx", names[call], type_names[kind], bytes, world.large ? " large" : "",
         error_text(code), call < 2 ? status_text(&status, r.shape.type) : "", side_hash(&r));
  side_free(&s);
  side_free(&r);
}

/// To nobody, and of another type than what arrives.
static void try_unlike(void) {
  struct side s = side_of(4, 4096, 0, world.rank), r = side_of(7, 4096, 0, 70);
  MPI_Status status;
  TWIN(MPI_Sendrecv, TO(s), FROM(r), world.comm, &status);
  report("Sendrecv of another type: %s, %016lx", status_text(&status, r.shape.type), side_hash(&r));
  const int to = world.rank + 1 < world.size ? world.right : MPI_PROC_NULL;
  const int from = world.rank > 0 ? world.left : MPI_PROC_NULL;
  side_fill(&r, 71);
  TWIN(MPI_Sendrecv, s.buf, s.count, s.shape.type, to, 3, r.buf, r.count, r.shape.type, from, 3, world.comm,
       &status);
  report("Sendrecv along a line: %s, %016lx", status_text(&status, r.shape.type), side_hash(&r));
  TWIN(MPI_Sendrecv_replace, r.buf, r.count, r.shape.type, to, 4, from, 4, world.comm, &status);
  report("Sendrecv_replace along a line: %s, %016lx", status_text(&status, r.shape.type), side_hash(&r));
  TWIN(MPI_Sendrecv, s.buf, s.count, s.shape.type, world.rank, 6, r.buf, r.count, r.shape.type, world.rank, 6,
       world.comm, MPI_STATUS_IGNORE);
  report("Sendrecv with itself: %016lx", side_hash(&r));
  side_free(&s);
  side_free(&r);
}

void group_both(void) {
#if MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5
  const int calls = 4;
#else
  const int calls = 2;
#endif
  for (int call = 0; call < calls; ++call) {
    for (int kind = 0; kind < types; ++kind) {
      if (!is_sound(call, kind)) continue;
      for (int size = world.large; size < sizes; size += 1 + world.large) {
        if (message_sizes[size] < 1 << 18 || kind % 4 == call) try_both(call, kind, message_sizes[size]);
      }
    }
  }
  try_unlike();
}
