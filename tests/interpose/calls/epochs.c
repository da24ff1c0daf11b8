// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One-sided calls from and into memory of all types, between all calls that begin and end an epoch: what is received is
// looked at as soon as MPI says that it is there. Here in a window of the MPI's memory; epoch_windows.c has the others.
#include "epochs.h"

#include "../common/memory.h"
#include "../common/report.h"
#include "groups.h"
#include "message.h"

#include <string.h>

enum { middle = window_bytes / 2, bytes = 600 };

enum form {
  fenced, posted, unlocked, flushed, flushed_locally, unlocked_all, flushed_all, flushed_all_locally, requested, flushed_first, forms
};
static const char* const form_names[forms] = {"fence",       "complete",  "unlock",          "flush",  "flush_local",
                                              "unlock_all", "flush_all", "flush_local_all", "request", "flush before the request"};

struct epoch_window window;

void store(const void* from, size_t n) {
  if (window.is_of_kind) memory_write(window.base, from, n);
  if (!window.is_of_kind) memcpy(window.base, from, n);
}
void look(void* to, size_t n) {
  if (window.is_of_kind) memory_read(to, window.base, n);
  if (!window.is_of_kind) memcpy(to, window.base, n);
}

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
  if (form == unlocked || form == flushed || form == flushed_locally || form == requested || form == flushed_first)
    MPI_Win_lock(MPI_LOCK_SHARED, world.right, 0, win);
  if (form == unlocked_all || form == flushed_all || form == flushed_all_locally) MPI_Win_lock_all(0, win);
}

/// From here on this rank may use what its calls were given.
static void complete_here(enum form form, MPI_Win win) {
  if (form == fenced) MPI_Win_fence(0, win);
  if (form == posted) MPI_Win_complete(win);
  if (form == unlocked) MPI_Win_unlock(world.right, win);
  if (form == unlocked_all) MPI_Win_unlock_all(win);
  if (form == flushed || form == flushed_first) MPI_Win_flush(world.right, win);
  if (form == flushed_all) MPI_Win_flush_all(win);
  if (form == flushed_locally) MPI_Win_flush_local(world.right, win);
  if (form == flushed_all_locally) MPI_Win_flush_local_all(win);
}

/// And from here on its own window.
static void end(enum form form, MPI_Win win) {
  if (form == posted) MPI_Win_wait(win);
  if (form == flushed || form == flushed_locally || form == requested || form == flushed_first) MPI_Win_unlock(world.right, win);
  if (form == flushed_all || form == flushed_all_locally) MPI_Win_unlock_all(win);
  MPI_Barrier(world.comm);
}

/// Of this rank's own window, which nobody calls.
static unsigned long window_hash(MPI_Win win) {
  static unsigned char copy[window_bytes];
  unsigned long hash = 1469598103934665603u;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, world.rank, 0, win);
  look(copy, window_bytes);
  MPI_Win_unlock(world.rank, win);
  for (int i = 0; i < window_bytes; ++i) hash = (hash ^ copy[i]) * 1099511628211u;
  MPI_Barrier(world.comm);
  return hash;
}

static void fill_window(MPI_Win win) {
  static char copy[window_bytes];
  for (int i = 0; i < window_bytes; ++i) copy[i] = (char)(i * 7 + i / 256 + world.rank);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, world.rank, 0, win);
  store(copy, window_bytes);
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
#define AT(target) world.right, window.places[world.right] + middle, (target).count, (target).type
#define MAKE(name, ...)                                       \
  (form >= requested ? TWIN(MPI_R##name, __VA_ARGS__, win, &request) \
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
  // Sums of short numbers that overflow differ between MPIs and their own calls.
  return shape->element == MPI_INT ? MPI_SUM : shape->element == MPI_SHORT ? MPI_BXOR : MPI_REPLACE;
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
  if (form == requested) MPI_Wait(&request, &status);
  complete_here(form, win);
  const unsigned long sent = side_hash(&s), received = side_hash(&r);
  if (form == flushed_first) {  // what the program writes meanwhile stays
    side_fill(&r, 98);
    MPI_Wait(&request, &status);
    if (request == MPI_REQUEST_NULL) report("  then %016lx", side_hash(&r));
  }
  end(form, win);
  report("%s%s, %s%s, %s: %s, %016lx %016lx, window %016lx", call_names[call], world.large ? " large" : "", type_names[kind],
         as_here ? " as here" : "", form_names[form], error_text(code), sent, received, window_hash(win));
  side_free(&s);
  side_free(&r);
}

/// Of accumulates MPI wants elements of one kind.
static int can(enum call call, int kind) {
#ifdef OPEN_MPI  // alone it gives other numbers back of a window that the program made than MPICH does
  if (call >= get_accumulate && kind == 8) return 0;
#endif
  return call < accumulate || (kind != 9 && kind != 14);
}

/// Several calls of one epoch, of which a flush completes those of one target only.
static void try_several(MPI_Win win) {
  struct side r[3];
  fill_window(win);
  MPI_Win_lock_all(0, win);
  for (int i = 0; i < 3; ++i) {
    r[i] = side_of(3 + i, bytes, 0, i);
    const struct target t = target_of(&r[i], 0);
    TWIN(MPI_Get, ORIGIN(&r[i]), (world.rank + i) % world.size, window.places[(world.rank + i) % world.size] + middle, t.count, t.type, win);
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

/// Less comes than there is room for: the rest stays.
static void try_short(MPI_Win win) {
  struct side r = side_of(7, bytes, 0, 3);
  MPI_Win_lock(MPI_LOCK_SHARED, world.right, 0, win);
  TWIN(MPI_Get, ORIGIN(&r), world.right, window.places[world.right] + middle, 5, MPI_INT, win);
  MPI_Win_unlock(world.right, win);
  report("short: %016lx", side_hash(&r));
  side_free(&r);
}

#ifndef OPEN_MPI
/// Pairs, which have gaps that an operation wants.
static void try_pairs(MPI_Win win) {
  struct pair {
    double value;
    int place;
  } pairs[3];
  struct pair* const origin = memory_get(sizeof pairs);
  struct pair* const result = memory_get(sizeof pairs);
  memset(pairs, 0, sizeof pairs);
  memory_write(result, pairs, sizeof pairs);
  for (int i = 0; i < 3; ++i) pairs[i] = (struct pair){10 * i + world.rank, i};
  memory_write(origin, pairs, sizeof pairs);
  MPI_Win_fence(0, win);
  TWIN(MPI_Put, origin, 3, MPI_DOUBLE_INT, world.right, window.places[world.right] + middle, 3, MPI_DOUBLE_INT, win);
  MPI_Win_fence(0, win);
  for (int i = 0; i < 3; ++i) pairs[i] = (struct pair){12, 100 + i};
  memory_write(origin, pairs, sizeof pairs);
  TWIN(MPI_Get_accumulate, origin, 3, MPI_DOUBLE_INT, result, 3, MPI_DOUBLE_INT, world.right, window.places[world.right] + middle, 3, MPI_DOUBLE_INT,
       MPI_MAXLOC, win);
  MPI_Win_fence(0, win);
  memory_read(pairs, result, sizeof pairs);
  for (int i = 0; i < 3; ++i) report("pair before: %g %d", pairs[i].value, pairs[i].place);
  TWIN(MPI_Get, result, 3, MPI_DOUBLE_INT, world.right, window.places[world.right] + middle, 3, MPI_DOUBLE_INT, win);
  MPI_Win_fence(0, win);
  memory_read(pairs, result, sizeof pairs);
  for (int i = 0; i < 3; ++i) report("pair: %g %d", pairs[i].value, pairs[i].place);
  memory_free(origin);
  memory_free(result);
}
#endif

#ifndef OPEN_MPI
/// Of a struct whose first member is empty, the others are what is added.
static void try_struct(MPI_Win win) {
  const int lengths[2] = {0, 3};
  const MPI_Aint at[2] = {0, 4};
  const MPI_Datatype members[2] = {MPI_CHAR, MPI_INT};
  int numbers[4] = {7, 100, 200, 300};
  MPI_Datatype type;
  MPI_Type_create_struct(2, lengths, at, members, &type);
  MPI_Type_commit(&type);
  int* const origin = memory_get(sizeof numbers);
  memory_write(origin, numbers, sizeof numbers);
  for (int times = 0; times < 2; ++times) {
    MPI_Win_fence(0, win);
    TWIN(MPI_Accumulate, origin, 1, type, world.right, window.places[world.right] + middle, 1, type, times == 0 ? MPI_REPLACE : MPI_SUM, win);
  }
  MPI_Win_fence(0, win);
  TWIN(MPI_Get, origin, 1, type, world.right, window.places[world.right] + middle, 1, type, win);
  MPI_Win_fence(0, win);
  memory_read(numbers, origin, sizeof numbers);
  report("struct: %d %d %d %d", numbers[0], numbers[1], numbers[2], numbers[3]);
  memory_free(origin);
  MPI_Type_free(&type);
}
#endif

/// A call that the MPI refuses leaves nothing behind.
static void try_refused(MPI_Win win) {
  struct side s = side_of(3, bytes, 0, 1);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  MPI_Win_lock_all(0, win);
  const int code = TWIN(MPI_Put, ORIGIN(&s), world.size + 5, middle, bytes, MPI_CHAR, win);
  report("to a rank that is none: %s", error_text(code));
  MPI_Win_unlock_all(win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_ARE_FATAL);
  side_free(&s);
}

void try_all(int step, MPI_Win win) {
  for (int form = 0; form < forms; ++form) {
    for (int kind = form % step; kind < types; kind += step) {
      for (int call = 0; call < calls; ++call) {
        if (can((enum call)call, kind)) try_call((enum call)call, (enum form)form, kind, form % 3 == 0, win);
      }
    }
  }
  try_several(win);
  try_short(win);
#ifndef OPEN_MPI  // which alone writes beyond them
  try_pairs(win);
#endif
#ifndef OPEN_MPI  // which refuses it
  try_struct(win);
#endif
  try_refused(win);
}

void group_epochs(void) {
  MPI_Win win;
  MPI_Win_allocate(window_bytes, 1, MPI_INFO_NULL, world.comm, &window.base, &win);
  window.is_of_kind = 0;
  try_all(1 + world.large, win);
  MPI_Win_free(&win);
}
