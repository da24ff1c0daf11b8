// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// usage: two_memories <kind of memory>
// Random types whose bytes lie partly in memory of that kind and partly in the host's, in all kinds of call.
// What they move is compared with what the program knows of the bytes; those between them must stay.
#include "../common/memory.h"
#include "../common/rounds.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  arena = 1 << 15,
  slots = 20,
  slot = 400,
  items_most = 3,
  shift = 10000,
  bytes_most = 1 << 15,
  rounds = 80
};

static unsigned char* base[2];  // the host's, and that of the kind
static unsigned char mirror[2][arena];

/// So many bytes there, in the order of the packed stream.
struct spot {
  int memory, at, bytes;
};
struct data {
  struct spot spots[slots];
  int n, items;
  MPI_Datatype type;
  int count;       ///< of the type, for all items
  MPI_Aint first;  ///< where its displacements count from: 0, or an address
};

static MPI_Aint address_of(struct spot spot) {
  MPI_Aint address;
  MPI_Get_address(base[spot.memory] + spot.at, &address);
  return address;
}

static void* buffer_of(const struct data* data) { return data->first == 0 ? MPI_BOTTOM : (void*)data->first; }

static int bytes_of(const struct data* data) {
  int sum = 0;
  for (int i = 0; i < data->n; ++i) sum += data->spots[i].bytes;
  return sum * data->items;
}

static MPI_Datatype listed(const struct spot* spots, int n, MPI_Aint from) {
  int lengths[slots];
  MPI_Aint places[slots];
  MPI_Datatype made;
  for (int i = 0; i < n; ++i) lengths[i] = spots[i].bytes, places[i] = address_of(spots[i]) - from;
  MPI_Type_create_hindexed(n, lengths, places, MPI_BYTE, &made);
  return made;
}

/// A struct of lists, each of which may lie in both memories.
static MPI_Datatype nested(const struct data* data) {
  int lengths[slots], n = 0;
  MPI_Aint places[slots];
  MPI_Datatype members[slots], made;
  for (int i = 0; i < data->n; ++n) {
    const int together = 1 + below(data->n - i < 4 ? data->n - i : 4);
    lengths[n] = 1;
    places[n] = address_of(data->spots[i]) - data->first;
    members[n] = listed(data->spots + i, together, address_of(data->spots[i]));
    i += together;
  }
  MPI_Type_create_struct(n, lengths, places, members, &made);
  for (int i = 0; i < n; ++i) MPI_Type_free(&members[i]);
  return made;
}

static MPI_Datatype blocks(const struct data* data) {
  MPI_Aint places[slots];
  MPI_Datatype made;
  for (int i = 0; i < data->n; ++i) places[i] = address_of(data->spots[i]) - data->first;
  MPI_Type_create_hindexed_block(data->n, data->spots[0].bytes, places, MPI_BYTE, &made);
  return made;
}

/// A vector whose stride leads from one memory to the other, of two spots.
static MPI_Datatype striding(const struct data* data) {
  MPI_Datatype vector, made;
  const MPI_Aint place = address_of(data->spots[0]) - data->first;
  const int one = 1;
  MPI_Type_create_hvector(2, data->spots[0].bytes, address_of(data->spots[1]) - address_of(data->spots[0]),
                          MPI_BYTE, &vector);
  MPI_Type_create_hindexed(1, &one, &place, vector, &made);
  MPI_Type_free(&vector);
  return made;
}

/// The same type in another way of saying it, of which the next item lies `shift` bytes behind.
static MPI_Datatype wrapped(MPI_Datatype type) {
  MPI_Datatype dup, made;
  MPI_Aint lb, extent;
  MPI_Type_get_extent(type, &lb, &extent);
  if (below(2) == 0) {
    MPI_Type_contiguous(1, type, &dup);
  } else {
    MPI_Type_dup(type, &dup);
  }
  MPI_Type_create_resized(dup, lb, shift, &made);
  MPI_Type_free(&dup);
  MPI_Type_free(&type);
  return made;
}

/// Whether it may be said from an address on: then what it spans tells that it may lie in both.
static int are_far_apart(void) {
  const ptrdiff_t apart = base[1] - base[0];
  return apart > (4 << 20) || apart < -(4 << 20);
}

static struct data random_data(void) {
  const int way = below(4);
  struct data data = {.n = way == 3 ? 2 : 2 + below(slots - 1), .items = 1 + below(items_most)};
  const int equal = 1 + below(slot);
  for (int i = 0; i < data.n; ++i) {
    const int length = way >= 2 ? equal : 1 + below(slot), at = i * slot + below(slot - length + 1);
    data.spots[i] = (struct spot){below(2), at, length};
  }
  data.spots[0].memory = !data.spots[data.n - 1].memory;
  // The order of the packed stream is another than that of addresses.
  for (int i = 0; i < data.n; ++i) {
    const int other = below(data.n);
    const struct spot swapped = data.spots[i];
    data.spots[i] = data.spots[other];
    data.spots[other] = swapped;
  }
  const int counts_from_address = below(4) == 0;
  if (counts_from_address) data.items = 1;
  if (counts_from_address && are_far_apart()) data.first = address_of(data.spots[0]);
  data.type = wrapped(way == 0   ? listed(data.spots, data.n, data.first)
                      : way == 1 ? nested(&data)
                      : way == 2 ? blocks(&data)
                                 : striding(&data));
  data.count = data.items;
#ifndef OPEN_MPI  // MPICH alone takes MPI_BOTTOM for null where there are several
  MPI_Datatype one = data.type;
  MPI_Type_contiguous(data.items, one, &data.type);
  MPI_Type_free(&one);
  data.count = 1;
#endif
  MPI_Type_commit(&data.type);
  return data;
}

/// Where byte i of the packed stream lies.
static unsigned char* in_mirror(const struct data* data, int i) {
  const int whole = bytes_of(data) / data->items, item = i / whole;
  int k = 0;
  for (i %= whole; i >= data->spots[k].bytes; ++k) i -= data->spots[k].bytes;
  return &mirror[data->spots[k].memory][data->spots[k].at + i + item * shift];
}

static void write_memories(void) {
  memcpy(base[0], mirror[0], arena);
  memory_write(base[1], mirror[1], arena);
}

static void fill(int seed) {
  for (int i = 0; i < 2 * arena; ++i) mirror[i / arena][i % arena] = (unsigned char)(seed + i * 7 + i / 251);
  write_memories();
}

static void expect_packed(const struct data* data, const unsigned char* packed, const char* what) {
  for (int i = 0; i < bytes_of(data); ++i) expect(packed[i] == *in_mirror(data, i), what);
}

/// That the first bytes of the packed stream have come, and that nothing else is new.
static void expect_memories(const struct data* data, const unsigned char* packed, int bytes,
                            const char* what) {
  static unsigned char read[arena];
  for (int i = 0; i < bytes; ++i) *in_mirror(data, i) = packed[i];
  expect(memcmp(base[0], mirror[0], arena) == 0, what);
  memory_read(read, base[1], arena);
  expect(memcmp(read, mirror[1], arena) == 0, what);
}

static unsigned char packed[bytes_most], other[bytes_most];

static void random_bytes(void) {
  for (int i = 0; i < bytes_most; ++i) other[i] = (unsigned char)below(256);
}

static void packs(const struct data* data) {
  int place = 0;
  MPI_Pack(buffer_of(data), data->count, data->type, packed, bytes_most, &place, MPI_COMM_WORLD);
  expect_packed(data, packed, "MPI_Pack");
  random_bytes();
  place = 0;
  MPI_Unpack(other, bytes_most, &place, buffer_of(data), data->count, data->type, MPI_COMM_WORLD);
  expect_memories(data, other, bytes_of(data), "MPI_Unpack");
}

/// From this rank to itself: some of what there is room for, and all.
static void messages(const struct data* data) {
  MPI_Request request;
  const int all = bytes_of(data), some = below(all + 1);
  random_bytes();
  MPI_Irecv(buffer_of(data), data->count, data->type, rank, 1, MPI_COMM_WORLD, &request);
  MPI_Send(other, some, MPI_BYTE, rank, 1, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect_memories(data, other, some, "MPI_Irecv");
  MPI_Irecv(packed, bytes_most, MPI_BYTE, rank, 2, MPI_COMM_WORLD, &request);
  MPI_Send(buffer_of(data), data->count, data->type, rank, 2, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect_packed(data, packed, "MPI_Send");
}

/// All ranks have the same signature, each in places of its own.
static void collectives(const struct data* data) {
  static unsigned char gathered[4 * bytes_most];
  const int all = bytes_of(data);
  MPI_Allgather(buffer_of(data), data->count, data->type, gathered, all, MPI_BYTE, MPI_COMM_WORLD);
  expect_packed(data, gathered + rank * all, "MPI_Allgather");
  for (int i = 0; i < all; ++i) other[i] = gathered[(rank + 1) % size * all + i];
  MPI_Scatter(gathered, all, MPI_BYTE, buffer_of(data), data->count, data->type, 0, MPI_COMM_WORLD);
  expect_memories(data, gathered + rank * all, all, "MPI_Scatter");
  for (int i = 0; i < all; ++i) other[i] = (unsigned char)(i * 11 + 3);
  if (rank == 0)
    MPI_Bcast(other, all, MPI_BYTE, 0, MPI_COMM_WORLD);
  else
    MPI_Bcast(buffer_of(data), data->count, data->type, 0, MPI_COMM_WORLD);
  if (rank != 0) expect_memories(data, other, all, "MPI_Bcast");
}

static void files(const struct data* data, MPI_File file) {
  const int all = bytes_of(data), some = 1 + below(all);
  MPI_Status status;
  int came = 0;
  MPI_File_write_at(file, 0, buffer_of(data), data->count, data->type, MPI_STATUS_IGNORE);
  MPI_File_read_at(file, 0, packed, all, MPI_BYTE, MPI_STATUS_IGNORE);
  expect_packed(data, packed, "MPI_File_write_at");
  random_bytes();
  MPI_File_write_at(file, 0, other, all, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_File_read_at(file, 0, buffer_of(data), data->count, data->type, MPI_STATUS_IGNORE);
  expect_memories(data, other, all, "MPI_File_read_at");
  random_bytes();
  MPI_File_write_at(file, 0, other, some, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_File_set_size(file, some);
  MPI_File_read_at(file, 0, buffer_of(data), data->count, data->type, &status);
  MPI_Get_count(&status, MPI_BYTE, &came);
#ifdef OPEN_MPI  // MPICH tells more than it reads into what is not consecutive
  expect(came == some, "bytes of MPI_File_read_at");
  expect_memories(data, other, some, "MPI_File_read_at of less");
#else
  expect(came >= some, "bytes of MPI_File_read_at");
  write_memories();
#endif
}

static void one_sided(const struct data* data, MPI_Win window, const unsigned char* shown) {
  const int all = bytes_of(data);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
  MPI_Put(buffer_of(data), data->count, data->type, rank, 0, all, MPI_BYTE, window);
  MPI_Win_unlock(rank, window);
  expect_packed(data, shown, "MPI_Put");
  random_bytes();
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
  MPI_Put(other, all, MPI_BYTE, rank, 0, all, MPI_BYTE, window);
  MPI_Win_flush(rank, window);
  MPI_Get(buffer_of(data), data->count, data->type, rank, 0, all, MPI_BYTE, window);
  MPI_Win_unlock(rank, window);
  expect_memories(data, other, all, "MPI_Get");
}

int main(int argc, char** argv) {
  char name[100];
  unsigned char* shown;
  MPI_Win window;
  MPI_File file;
  if (argc < 2) return 2;
  memory_kind(argv[1]);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  memory_device(rank);
  base[0] = malloc(arena);
  base[1] = memory_get(arena);
  snprintf(name, sizeof name, "/dev/shm/typewarp-memories-%d", (int)getpid());
  MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  MPI_Win_allocate(bytes_most, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &shown, &window);
  for (round_now = 0; round_now < rounds; ++round_now) {
    random_state = (unsigned)round_now;  // the same in all ranks, whose types then have one signature
    struct data data = random_data();
    fill(rank + round_now);
    packs(&data);
    messages(&data);
    collectives(&data);
    files(&data, file);
    one_sided(&data, window, shown);
    MPI_Type_free(&data.type);
  }
  MPI_Win_free(&window);
  MPI_File_close(&file);
  memory_free(base[1]);
  free(base[0]);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("all memories are right\n");
  MPI_Finalize();
  return 0;
}
