// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// usage: attached <kind of memory>
// Memory that comes and goes in a dynamic window: many pieces of each rank, of that kind and of the host's,
// attached and detached in turns, and allocated anew, often at one address. What is put there and got back is
// compared with what the program knows of it. And what is not attached, or cannot be.
#include "../common/memory.h"
#include "../common/rounds.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { pieces = 6, rounds = 60, longest = 3000, spare = 64 };

/// Of any rank: all draw the same numbers. `memory` is this rank's own.
struct piece {
  int bytes, is_host;
  MPI_Aint places[16];
  unsigned char* memory;
  unsigned char content[longest];  ///< of each, as the last put left it
};

static unsigned char start_of(int of_rank, int number, int i) {
  return (unsigned char)(31 * of_rank + 7 * number + i);
}

static void attach(struct piece* piece, int number, MPI_Win window) {
  static unsigned char host[longest + spare];
  piece->bytes = 1 + below(longest);
  piece->is_host = below(3) == 0;
  const size_t bytes = (size_t)piece->bytes + spare;  // of which the last are not attached
  piece->memory = piece->is_host ? malloc(bytes) : memory_get(bytes);
  for (size_t i = 0; i < bytes; ++i) host[i] = start_of(rank, number, (int)i);
  if (piece->is_host)
    memcpy(piece->memory, host, bytes);
  else
    memory_write(piece->memory, host, bytes);
  expect(MPI_Win_attach(window, piece->memory, piece->bytes) == MPI_SUCCESS, "MPI_Win_attach");
  MPI_Aint own;
  MPI_Get_address(piece->memory, &own);
  MPI_Allgather(&own, 1, MPI_AINT, piece->places, 1, MPI_AINT, MPI_COMM_WORLD);
}

static void detach(struct piece* piece, MPI_Win window) {
  MPI_Barrier(MPI_COMM_WORLD);
  expect(MPI_Win_detach(window, piece->memory) == MPI_SUCCESS, "MPI_Win_detach");
  if (piece->is_host)
    free(piece->memory);
  else
    memory_free(piece->memory);
  piece->memory = NULL;
}

/// Blocks of a random length at a random distance, as many as there is room for.
static MPI_Datatype blocks_in(int bytes, int* packed) {
  MPI_Datatype made;
  const int length = 1 + below(bytes < 40 ? bytes : 40), stride = length + below(30);
  const int count = 1 + (bytes - length) / stride;
  MPI_Type_vector(count, length, stride, MPI_BYTE, &made);
  MPI_Type_commit(&made);
  *packed = count * length;
  return made;
}

/// Each rank puts blocks into a piece of its right neighbour, and gets the piece of another back.
static void use(struct piece* piece, int number, MPI_Win window) {
  static unsigned char host[longest + spare], other[longest];
  const int right = (rank + 1) % size, from = below(size);
  const int first = below(piece->bytes);
  int packed = 0;
  MPI_Datatype type = blocks_in(piece->bytes - first, &packed);
  unsigned char* const sent = below(2) ? memory_get(longest) : NULL;
  for (int i = 0; i < packed; ++i) host[i] = (unsigned char)(rank + 5 * round_now + i);
  if (sent != NULL) memory_write(sent, host, longest);
  MPI_Win_lock(MPI_LOCK_SHARED, right, 0, window);
  expect(MPI_Put(sent != NULL ? sent : host, packed, MPI_BYTE, right, piece->places[right] + first, 1, type,
                 window) == MPI_SUCCESS,
         "MPI_Put");
  MPI_Win_unlock(right, window);
  if (sent != NULL) memory_free(sent);
  MPI_Barrier(MPI_COMM_WORLD);
  // What the left neighbour put into this rank's, and each rank's left neighbour into that one's.
  for (int of = 0; of < size; ++of) {
    if (of != from && of != rank) continue;
    const int writer = (of + size - 1) % size;
    memset(other, 0, sizeof other);
    for (int i = 0; i < piece->bytes; ++i) other[i] = start_of(of, number, i);
    for (int i = 0; i < packed; ++i) host[i] = (unsigned char)(writer + 5 * round_now + i);
    int position = 0;
    MPI_Unpack(host, packed, &position, other + first, 1, type, MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, of, 0, window);
    MPI_Get(host, piece->bytes, MPI_BYTE, of, piece->places[of], piece->bytes, MPI_BYTE, window);
    MPI_Win_unlock(of, window);
    expect(memcmp(host, other, (size_t)piece->bytes) == 0, "MPI_Get");
  }
  if (piece->is_host)
    memcpy(host, piece->memory, (size_t)piece->bytes + spare);
  else
    memory_read(host, piece->memory, (size_t)piece->bytes + spare);
  for (int i = piece->bytes; i < piece->bytes + spare; ++i)
    expect(host[i] == start_of(rank, number, i), "what is behind the memory attached");
  MPI_Type_free(&type);
}

static int class_of(int code) {
  int of = MPI_SUCCESS;
  MPI_Error_class(code, &of);
  return of;
}

/// What only this library tells: MPIs differ, and crash.
static void errors(MPI_Win window) {
  enum { bytes = 4096, one = 2, limit = 1024 };
  char text[MPI_MAX_ERROR_STRING];
  int length = 0, code = MPI_SUCCESS, n = 0, number = 7;
  char* const memory = memory_get(bytes);
  MPI_Aint own, places[16];
  MPI_Get_address(memory, &own);
  MPI_Allgather(&own, 1, MPI_AINT, places, 1, MPI_AINT, MPI_COMM_WORLD);
  const int right = (rank + 1) % size;
  expect(MPI_Win_attach(window, memory, bytes / 2) == MPI_SUCCESS, "attach");
  expect(class_of(MPI_Win_attach(window, memory + 100, 10)) == MPI_ERR_RMA_ATTACH, "attached twice");
  expect(class_of(MPI_Win_detach(window, memory + 100)) == MPI_ERR_BASE, "detach of what was not attached");
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, right, 0, window);
  code = MPI_Put(&number, 1, MPI_INT, right, places[right] + bytes / 2 + 8, 1, MPI_INT, window);
  expect(class_of(code) == MPI_ERR_RMA_RANGE, "put to what is not attached");
  code = MPI_Put(&number, 1, MPI_INT, right, places[right] + bytes / 2 - 2, 1, MPI_INT, window);
  expect(class_of(code) == MPI_ERR_RMA_RANGE, "put beyond the end");
  code = MPI_Get(&number, 1, MPI_INT, right, places[right] - 2, 1, MPI_INT, window);
  expect(class_of(code) == MPI_ERR_RMA_RANGE, "get before the begin");
  MPI_Win_unlock(right, window);
  MPI_Barrier(MPI_COMM_WORLD);
  expect(MPI_Win_detach(window, memory) == MPI_SUCCESS, "detach");
  expect(class_of(MPI_Win_detach(window, memory)) == MPI_ERR_BASE, "detached twice");
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, right, 0, window);
  code = MPI_Put(&number, 1, MPI_INT, right, places[right], 1, MPI_INT, window);
  expect(class_of(code) == MPI_ERR_RMA_RANGE, "put to what was detached");
  MPI_Win_unlock(right, window);
  for (code = MPI_SUCCESS; code == MPI_SUCCESS && n < bytes / one; ++n)
    code = MPI_Win_attach(window, memory + one * n, one);
  MPI_Error_string(code, text, &length);
  expect(n == limit + 1 && class_of(code) == MPI_ERR_RMA_ATTACH, "attaching too much");
  for (int i = 0; i < limit; ++i)
    expect(MPI_Win_detach(window, memory + one * i) == MPI_SUCCESS, "detach of many");
  expect(MPI_Win_attach(window, memory, bytes) == MPI_SUCCESS, "attach after all");
  expect(MPI_Win_detach(window, memory) == MPI_SUCCESS, "detach after all");
#ifndef OPEN_MPI  // 5.0.11 attaches nothing, and then does not detach it
  expect(MPI_Win_attach(window, memory, 0) == MPI_SUCCESS, "attach of nothing");
  expect(MPI_Win_detach(window, memory) == MPI_SUCCESS, "detach of nothing");
#endif
  memory_free(memory);
}

int main(int argc, char** argv) {
  static struct piece all[pieces];
  MPI_Win window;
  if (argc < 2) return 2;
  memory_kind(argv[1]);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  memory_device(rank);
  memory_free(memory_get(1));
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
  for (round_now = 0; round_now < rounds; ++round_now) {
    random_state = (unsigned)round_now;  // the same in all ranks
    struct piece* const piece = &all[below(pieces)];
    if (piece->memory != NULL) detach(piece, window);
    attach(piece, round_now, window);
    use(piece, round_now, window);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  for (int i = 0; i < pieces; ++i) {
    if (all[i].memory != NULL) detach(&all[i], window);
  }
  if (!memory_is_host()) errors(window);
  MPI_Win_free(&window);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("all pieces are right\n");
  MPI_Finalize();
  return 0;
}
