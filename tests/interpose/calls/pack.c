// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "../common/memory.h"
#include "../common/report.h"
#include "groups.h"
#include "message.h"

#include <stdio.h>
#include <stdlib.h>

/// A buffer of packed bytes, in the kind of memory that is tried or in the program's own.
struct packed {
  char* memory;
  long size, position;
  int own;
};

static struct packed packed_of(long size, int own) {
  struct packed packed = {own ? malloc((size_t)size) : memory_get((size_t)size), size, 0, own};
  char* zeros = calloc(1, (size_t)size);
  memory_write(packed.memory, zeros, (size_t)size);
  free(zeros);
  return packed;
}

static void packed_free(struct packed* packed) {
  if (packed->own) {
    free(packed->memory);
  } else {
    memory_free(packed->memory);
  }
}

/// Which bytes an MPI packs is its own, but the same MPI packs the same.
static unsigned long packed_hash(const struct packed* packed) {
  unsigned char* copy = malloc((size_t)packed->position + 1);
  unsigned long hash = 1469598103934665603u;
  memory_read(copy, packed->memory, (size_t)packed->position);
  for (long i = 0; i < packed->position; ++i) hash = (hash ^ copy[i]) * 1099511628211u;
  free(copy);
  return hash;
}

static long pack_size(int count, MPI_Datatype type) {
#if MPI_VERSION >= 4
  if (world.large) {
    MPI_Count size = 0;
    MPI_Pack_size_c(count, type, world.comm, &size);
    return (long)size;
  }
#endif
  int size = 0;
  MPI_Pack_size(count, type, world.comm, &size);
  return size;
}

static int pack(const struct side* side, int count, struct packed* to) {
#if MPI_VERSION >= 4
  if (world.large) {
    MPI_Count at = to->position;
    const int code = MPI_Pack_c(side->buf, count, side->shape.type, to->memory, to->size, &at, world.comm);
    to->position = (long)at;
    return code;
  }
#endif
  int at = (int)to->position;
  const int code = MPI_Pack(side->buf, count, side->shape.type, to->memory, (int)to->size, &at, world.comm);
  to->position = at;
  return code;
}

static int unpack(struct packed* from, const struct side* side, int count) {
#if MPI_VERSION >= 4
  if (world.large) {
    MPI_Count at = from->position;
    const int code =
        MPI_Unpack_c(from->memory, from->size, &at, side->buf, count, side->shape.type, world.comm);
    from->position = (long)at;
    return code;
  }
#endif
  int at = (int)from->position;
  const int code =
      MPI_Unpack(from->memory, (int)from->size, &at, side->buf, count, side->shape.type, world.comm);
  from->position = at;
  return code;
}

/// Packs a message between two others of bytes, and takes it out again.
static void there_and_back(int kind, int bytes, int own) {
  struct side s = side_of(kind, bytes, 0, world.rank), r = side_of(kind, bytes, 0, 8);
  struct side head = side_of(0, 3, 0, 4), head_back = side_of(0, 3, 0, 5);
  struct packed packed = packed_of(pack_size(s.count, s.shape.type) + 2 * pack_size(3, MPI_BYTE), own);
  pack(&head, 3, &packed);
  pack(&s, s.count, &packed);
  pack(&head, 3, &packed);
  report("packed %s %d%s: %ld, %016lx", type_names[kind], bytes, own ? " into its own" : "", packed.position,
         packed_hash(&packed));
  const long end = packed.position;
  packed.position = 0;
  unpack(&packed, &head_back, 3);
  unpack(&packed, &r, r.count);
  report("  unpacked: %ld of %ld, %016lx %016lx", packed.position, end, side_hash(&head_back), side_hash(&r));
  packed_free(&packed);
  side_free(&s);
  side_free(&r);
  side_free(&head);
  side_free(&head_back);
}

/// What is sent as MPI_PACKED may be received as its type, and what is sent as its type may be received as
/// MPI_PACKED.
static void packed_message(int kind, int bytes, int own) {
  struct side s = side_of(kind, bytes, 0, world.rank), r = side_of(kind, bytes, 0, 8);
  struct packed packed = packed_of(pack_size(s.count, s.shape.type) + 16, own);
  MPI_Status status;
  pack(&s, s.count, &packed);
  TWIN(MPI_Sendrecv, packed.memory, (int)packed.position, MPI_PACKED, world.right, 1, r.buf, r.count,
       r.shape.type, world.left, 1, world.comm, &status);
  report("sent packed, %s %d: %s, %016lx", type_names[kind], bytes, status_text(&status, r.shape.type),
         side_hash(&r));
  side_fill(&r, 9);
  TWIN(MPI_Sendrecv, s.buf, s.count, s.shape.type, world.right, 2, packed.memory, (int)packed.size,
       MPI_PACKED, world.left, 2, world.comm, &status);
  packed.position = 0;
  unpack(&packed, &r, r.count);
  report("received packed: %s, %016lx", status_text(&status, MPI_PACKED), side_hash(&r));
  packed_free(&packed);
  side_free(&s);
  side_free(&r);
}

/// A member without data may lie outside of the buffer, though MPICH counts it among the true bounds.
static void empty_member(MPI_Aint place) {
  struct side s = side_of(1, 80, 0, world.rank);
  const MPI_Datatype one = s.shape.type;
  MPI_Datatype parts[2] = {MPI_DATATYPE_NULL, one};
  MPI_Type_contiguous(0, MPI_INT, &parts[0]);
  MPI_Type_create_struct(2, (const int[]){1, s.count}, (const MPI_Aint[]){place, 0}, parts, &s.shape.type);
  MPI_Type_commit(&s.shape.type);
  struct packed packed = packed_of(pack_size(1, s.shape.type), 1);
  pack(&s, 1, &packed);
  report("packed with an empty member at %ld: %016lx", (long)place, packed_hash(&packed));
  packed_free(&packed);
  MPI_Type_free(&s.shape.type);
  MPI_Type_free(&parts[0]);
  s.shape.type = one;
  side_free(&s);
}

/// MPICH says nothing of it, and writes beyond the end.
#ifdef OPEN_MPI
static void too_little_place(void) {
  struct side s = side_of(3, 4096, 0, world.rank);
  struct packed packed = packed_of(100, 0);
  MPI_Comm_set_errhandler(world.comm, MPI_ERRORS_RETURN);
  const int code = pack(&s, s.count, &packed);
  report("packed into too little: %s", error_text(code));
  MPI_Comm_set_errhandler(world.comm, MPI_ERRORS_ARE_FATAL);
  packed_free(&packed);
  side_free(&s);
}
#endif

void group_pack(void) {
  for (int kind = 0; kind < types; ++kind) {
    for (int size = 0; size < sizes; ++size) {
      if (message_sizes[size] > 1 << 18 && kind % 4 != 3) continue;
      for (int own = 0; own < 2; ++own) {
        there_and_back(kind, message_sizes[size], own);
        packed_message(kind, message_sizes[size], own);
      }
    }
  }
  empty_member(-(1 << 30));
  empty_member(1 << 30);
#ifdef OPEN_MPI
  too_little_place();
#endif
}
