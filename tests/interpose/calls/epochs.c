// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One-sided calls from and into memory of all types, in windows of host memory, between all calls that begin and
// end an epoch: what is received is looked at as soon as MPI says that it is there.
#include "../common/report.h"
#include "groups.h"
#include "message.h"

#include <string.h>

enum { window_bytes = 1 << 17, middle = window_bytes / 2, bytes = 600 };

enum form {
  fenced, posted, unlocked, flushed, flushed_locally, unlocked_all, flushed_all, flushed_all_locally, requested, forms
};
static const char* const form_names[forms] = {"fence",       "complete",  "unlock",          "flush",  "flush_local",
                                              "unlock_all", "flush_all", "flush_local_all", "request"};

static char* base;

static MPI_Group group_of(int rank) {
  MPI_Group all, one;
  MPI_Comm_group(world.comm, &all);
  MPI_Group_incl(all, 1, &rank, &one);
  MPI_Group_free(&all);
  return one;
}

/// This rank calls its right neighbour, and is called by the left one.
static void begin(enum form form, MPI_Win win) {
  if (form == fenced) MPI_Win_fence(0, win);
  if (form == posted) {
    MPI_Group left = group_of(world.left), right = group_of(world.right);
    MPI_Win_post(left, 0, win);
    MPI_Win_start(right, 0, win);
    MPI_Group_free(&left);
    MPI_Group_free(&right);
  }
  if (form == unlocked || form == flushed || form == flushed_locally || form == requested)
    MPI_Win_lock(MPI_LOCK_SHARED, world.right, 0, win);
  if (form == unlocked_all || form == flushed_all || form == flushed_all_locally) MPI_Win_lock_all(0, win);
}

/// From here on this rank may use what its calls were given.
static void complete_here(enum form form, MPI_Win win) {
  if (form == fenced) MPI_Win_fence(0, win);
  if (form == posted) MPI_Win_complete(win);
  if (form == unlocked) MPI_Win_unlock(world.right, win);
  if (form == unlocked_all) MPI_Win_unlock_all(win);
  if (form == flushed) MPI_Win_flush(world.right, win);
  if (form == flushed_all) MPI_Win_flush_all(win);
  if (form == flushed_locally) MPI_Win_flush_local(world.right, win);
  if (form == flushed_all_locally) MPI_Win_flush_local_all(win);
}

/// And from here on its own window.
static void end(enum form form, MPI_Win win) {
  if (form == posted) MPI_Win_wait(win);
  if (form == flushed || form == flushed_locally || form == requested) MPI_Win_unlock(world.right, win);
  if (form == flushed_all || form == flushed_all_locally) MPI_Win_unlock_all(win);
  MPI_Barrier(world.comm);
}

/// Of this rank's own window, which nobody calls.
static unsigned long window_hash(MPI_Win win) {
  unsigned long hash = 1469598103934665603u;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, world.rank, 0, win);
  for (int i = 0; i < window_bytes; ++i) hash = (hash ^ (unsigned char)base[i]) * 1099511628211u;
  MPI_Win_unlock(world.rank, win);
  MPI_Barrier(world.comm);
  return hash;
}

static void fill_window(MPI_Win win) {
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, world.rank, 0, win);
  for (int i = 0; i < window_bytes; ++i) base[i] = (char)(i * 7 + i / 256 + world.rank);
  MPI_Win_unlock(world.rank, win);
  MPI_Barrier(world.comm);
}

/// The target's end: elements one behind the other, or items that lie there as they do here.
struct target {
  MPI_Datatype type;
  int count;
};
static struct target target_of(const struct side* side, int as_here) {
  if (as_here || side->shape.element == MPI_DATATYPE_NULL) return (struct target){side->shape.type, side->count};
  return (struct target){side->shape.element, side->count * side->shape.elements};
}

#define ORIGIN(side) (side)->buf, (side)->count, (side)->shape.type
#define AT(target) world.right, middle, (target).count, (target).type
#define MAKE(name, ...)                                       \
  (form == requested ? TWIN(MPI_R##name, __VA_ARGS__, win, &request) \
                     : TWIN(MPI_##name, __VA_ARGS__, win))

enum call { put, get, accumulate, get_accumulate, get_alone, calls };
static const char* const call_names[calls] = {"Put", "Get", "Accumulate", "Get_accumulate", "Get_accumulate of nothing"};
// The first letter of a request-based call's name is small.
#define MPI_RPut MPI_Rput
#define MPI_RGet MPI_Rget
#define MPI_RAccumulate MPI_Raccumulate
#define MPI_RGet_accumulate MPI_Rget_accumulate
#define MPI_RPut_c MPI_Rput_c
#define MPI_RGet_c MPI_Rget_c
#define MPI_RAccumulate_c MPI_Raccumulate_c
#define MPI_RGet_accumulate_c MPI_Rget_accumulate_c

/// What combines elements of a shape without a doubt about bits.
static MPI_Op op_of(const struct shape* shape) {
  return shape->element == MPI_INT || shape->element == MPI_SHORT ? MPI_SUM : MPI_REPLACE;
}

static void try_call(enum call call, enum form form, int kind, int as_here, MPI_Win win) {
  struct side s = side_of(kind, bytes, 0, world.rank), r = side_of(kind, bytes, 0, 50);
  const struct target t = target_of(&s, as_here && !s.shape.absolute);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  int code = MPI_SUCCESS;
  fill_window(win);
  begin(form, win);
  switch (call) {
    case put: code = MAKE(Put, ORIGIN(&s), AT(t)); break;
    case get: code = MAKE(Get, ORIGIN(&r), AT(t)); break;
    case accumulate: code = MAKE(Accumulate, ORIGIN(&s), AT(t), op_of(&s.shape)); break;
    case get_accumulate: code = MAKE(Get_accumulate, ORIGIN(&s), ORIGIN(&r), AT(t), op_of(&s.shape)); break;
    default: code = MAKE(Get_accumulate, NULL, 0, MPI_BYTE, ORIGIN(&r), AT(t), MPI_NO_OP);
  }
  if (request != MPI_REQUEST_NULL) MPI_Wait(&request, &status);
  complete_here(form, win);
  const unsigned long sent = side_hash(&s), received = side_hash(&r);
  side_fill(&s, 99);  // nothing of it is still read
  end(form, win);
  report("%s%s, %s%s, %s: %s, %016lx %016lx, window %016lx", call_names[call], world.large ? " large" : "", type_names[kind],
         as_here ? " as here" : "", form_names[form], error_text(code), sent, received, window_hash(win));
  side_free(&s);
  side_free(&r);
}

/// Of accumulates MPI wants elements of one kind.
static int can(enum call call, int kind) { return call < accumulate || (kind != 9 && kind != 14); }

/// Several calls of one epoch, of which a flush completes those of one target only.
static void try_several(MPI_Win win) {
  struct side r[3];
  fill_window(win);
  MPI_Win_lock_all(0, win);
  for (int i = 0; i < 3; ++i) {
    r[i] = side_of(3 + i, bytes, 0, i);
    const struct target t = target_of(&r[i], 0);
    TWIN(MPI_Get, ORIGIN(&r[i]), (world.rank + i) % world.size, middle, t.count, t.type, win);
  }
  MPI_Win_flush(world.right, win);
  report("flushed: %016lx", side_hash(&r[1]));
  MPI_Win_unlock_all(win);
  for (int i = 0; i < 3; ++i) {
    report("unlocked: %016lx", side_hash(&r[i]));
    side_free(&r[i]);
  }
  MPI_Barrier(world.comm);
}

void group_epochs(void) {
  MPI_Win win;
  MPI_Win_allocate(window_bytes, 1, MPI_INFO_NULL, world.comm, &base, &win);
  for (int form = 0; form < forms; ++form) {
    for (int kind = form % 2; kind < types; kind += 1 + world.large) {
      for (int call = 0; call < calls; ++call) {
        if (can((enum call)call, kind)) try_call((enum call)call, (enum form)form, kind, form % 3 == 0, win);
      }
    }
  }
  try_several(win);
  MPI_Win_free(&win);
}
