// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// usage: unlike_ranks <kind of memory>
// Collective calls that move data, of ranks that have unlike memory and unlike datatypes of one signature,
// with blocks that are long, short, and of no items.
#include "../common/memory.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  item = 24,
  stride = 40,
  unit = 3000,
  most_ranks = 9,
  places = most_ranks * (most_ranks + 1) * unit / 2,
  most = places * stride
};

static int rank, size;

static void expect(int right, const char* what) {
  if (right) return;
  fprintf(stderr, "rank %d: %s: wrong\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/// Of byte `b` of the packed bytes that rank `from` has for rank `to`.
static unsigned char value(int from, int to, int b) {
  return (unsigned char)(b * 7 + b / 251 + 50 * from + 13 * to + 1);
}
static const unsigned char guard = 0xA5;

/// What a rank has: items of `type` from place to place, in memory of the kind, or in the program's own.
struct side {
  unsigned char* host;
  void* memory;
  MPI_Datatype type;
  int step, is_host;
};

static struct side make(int is_host, int is_apart) {
  struct side side = {malloc(most), NULL, MPI_DATATYPE_NULL, is_apart ? stride : item, is_host};
  MPI_Datatype run;
  MPI_Type_contiguous(item, MPI_BYTE, &run);
  MPI_Type_create_resized(run, 0, side.step, &side.type);
  MPI_Type_commit(&side.type);
  MPI_Type_free(&run);
  memset(side.host, guard, most);
  side.memory = is_host ? malloc(most) : memory_get(most);
  return side;
}
static void put(struct side* side, int from, int to, int first, int count) {
  for (int b = 0; b < count * item; ++b)
    side->host[(first + b / item) * side->step + b % item] = value(from, to, b);
}
static void* ready(struct side* side) {
  side->is_host ? memcpy(side->memory, side->host, most)
                : (memory_write(side->memory, side->host, most), NULL);
  return side->memory;
}
/// The same bytes as put() has put there, and nothing else changed.
static void check(struct side* side, const char* what) {
  unsigned char* seen = malloc(most);
  side->is_host ? memcpy(seen, side->memory, most) : (memory_read(seen, side->memory, most), NULL);
  expect(memcmp(seen, side->host, most) == 0, what);
  free(seen);
}
static void drop(struct side* side) {
  side->is_host ? free(side->memory) : memory_free(side->memory);
  free(side->host);
  MPI_Type_free(&side->type);
}

/// Which rank has the program's own memory, and which has items one behind the other.
struct who {
  int is_host, is_dense;
};
static struct side from_of(struct who who) { return make(rank == who.is_host, rank != who.is_dense); }
static struct side to_of(struct who who) {
  return make(rank == (who.is_host + 1) % 4, rank != (who.is_dense + 1) % 4);
}

static int uneven(int of) { return of * unit; }  // rank 0 has nothing
static int counts[most_ranks], displs[most_ranks];

static void broadcast(struct who who, int root) {
  struct side side = from_of(who);
  if (rank == root) put(&side, root, 0, 0, 2 * unit);
  ready(&side);
  expect(MPI_Bcast(side.memory, 2 * unit, side.type, root, MPI_COMM_WORLD) == MPI_SUCCESS, "bcast");
  put(&side, root, 0, 0, 2 * unit);
  check(&side, "bcast");
  drop(&side);
}

static void gather(struct who who, int root, int in_place) {
  struct side from = from_of(who), to = to_of(who);
  const int is_root = rank == root, count = uneven(rank);
  put(&from, rank, root, 0, count);
  if (is_root && in_place) put(&to, rank, root, displs[rank], count);
  ready(&from), ready(&to);
  expect(MPI_Gatherv(is_root && in_place ? MPI_IN_PLACE : from.memory, count, from.type, to.memory, counts,
                     displs, to.type, root, MPI_COMM_WORLD) == MPI_SUCCESS,
         "gatherv");
  for (int i = 0; is_root && i < size; ++i) put(&to, i, root, displs[i], counts[i]);
  check(&to, "gatherv"), check(&from, "gatherv, sent");
  drop(&from), drop(&to);
}

static void scatter(struct who who, int root, int in_place) {
  struct side from = from_of(who), to = to_of(who);
  const int is_root = rank == root, count = uneven(rank);
  for (int i = 0; is_root && i < size; ++i) put(&from, root, i, displs[i], counts[i]);
  ready(&from), ready(&to);
  expect(MPI_Scatterv(from.memory, counts, displs, from.type, is_root && in_place ? MPI_IN_PLACE : to.memory,
                      count, to.type, root, MPI_COMM_WORLD) == MPI_SUCCESS,
         "scatterv");
  if (!is_root || !in_place) put(&to, root, rank, 0, count);
  check(&to, "scatterv"), check(&from, "scatterv, sent");
  drop(&from), drop(&to);
}

static void allgather(struct who who, int in_place, int is_even) {
  struct side from = from_of(who), to = to_of(who);
  const int count = is_even ? unit : uneven(rank);
  const int own = is_even ? rank * unit : displs[rank];
  put(&from, rank, 0, 0, count);
  if (in_place) put(&to, rank, 0, own, count);
  ready(&from), ready(&to);
  const void* sent = in_place ? MPI_IN_PLACE : from.memory;
  const int code =
      is_even ? MPI_Allgather(sent, unit, from.type, to.memory, unit, to.type, MPI_COMM_WORLD)
              : MPI_Allgatherv(sent, count, from.type, to.memory, counts, displs, to.type, MPI_COMM_WORLD);
  expect(code == MPI_SUCCESS, "allgather");
  for (int i = 0; i < size; ++i) put(&to, i, 0, is_even ? i * unit : displs[i], is_even ? unit : counts[i]);
  check(&to, "allgather");
  drop(&from), drop(&to);
}

static void alltoall(struct who who, int in_place) {
  struct side from = from_of(who), to = to_of(who);
  struct side* const sent = in_place ? &to : &from;
  for (int i = 0; i < size; ++i) put(sent, rank, i, i * unit, unit);
  ready(&from), ready(&to);
  expect(MPI_Alltoall(in_place ? MPI_IN_PLACE : from.memory, unit, from.type, to.memory, unit, to.type,
                      MPI_COMM_WORLD) == MPI_SUCCESS,
         "alltoall");
  for (int i = 0; i < size; ++i) put(&to, i, rank, i * unit, unit);
  check(&to, "alltoall");
  drop(&from), drop(&to);
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  memory_kind(argv[1]);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  memory_device(rank);
  expect(size <= most_ranks, "number of ranks");
  for (int i = 0; i < size; ++i) counts[i] = uneven(i), displs[i] = i * (i + 1) / 2 * unit;
  const struct who all[] = {{3, 3}, {0, 1}, {1, 0}, {2, 2}};
  for (int i = 0; i < 4; ++i) {
    const int root = i % size, in_place = i % 2;
    broadcast(all[i], root);
    gather(all[i], root, in_place), gather(all[i], root, !in_place);
    scatter(all[i], root, in_place), scatter(all[i], root, !in_place);
    allgather(all[i], in_place, i / 2), allgather(all[i], !in_place, !(i / 2));
    alltoall(all[i], in_place), alltoall(all[i], !in_place);
  }
  if (rank == 0) printf("all is right\n");
  MPI_Finalize();
  return 0;
}
