// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// usage: pieces <kind of memory>
// What calls of files do whose ranks have unlike numbers of pieces: collective ones of lengths, memories and
// places of their own, of which some fail; reads that end with the file; etypes of several bytes.
#include "../common/memory.h"
#include "open_shared.h"

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { item = 24, stride = 40, items = 500, most = items * stride };

static int rank, size;

static void expect(int right, const char* what) {
  if (right) return;
  fprintf(stderr, "rank %d: %s: wrong\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static unsigned char value(int of, int i) { return (unsigned char)(i * 7 + i / 251 + 13 * of + 1); }

/// Items of 24 bytes, every 40.
static MPI_Datatype apart(void) {
  MPI_Datatype run, made;
  MPI_Type_contiguous(item, MPI_BYTE, &run);
  MPI_Type_create_resized(run, 0, stride, &made);
  MPI_Type_commit(&made);
  MPI_Type_free(&run);
  return made;
}

static void* filled(int of, int is_host) {
  static unsigned char host[most];
  for (int i = 0; i < most; ++i) host[i] = value(of, i);
  void* memory = is_host ? malloc(most) : memory_get(most);
  if (is_host)
    memcpy(memory, host, most);
  else
    memory_write(memory, host, most);
  return memory;
}

/// Of `count` items that `from` wrote; what lies behind and between them is this rank's.
static void expect_items(const void* memory, int is_host, int from, int count, const char* what) {
  static unsigned char host[most];
  if (is_host)
    memcpy(host, memory, most);
  else
    memory_read(host, memory, most);
  for (int i = 0; i < most; ++i) {
    const int comes = i % stride < item && i / stride < count;
    expect(host[i] == value(comes ? from : 50 + rank, i), what);
  }
}

static void drop(void* memory, int is_host) {
  if (is_host)
    free(memory);
  else
    memory_free(memory);
}

static int bytes_of(const MPI_Status* status) {
  int bytes = -1;
  MPI_Get_count(status, MPI_BYTE, &bytes);
  return bytes;
}

/// Rank r writes `items` / (r + 1) items, or none, or from host memory, or all in one or another place.
static void uneven(MPI_File file, MPI_Datatype type, int host_rank, int idle_rank) {
  const int is_host = rank == host_rank;
  const int count = rank == idle_rank ? 0 : items / (rank + 1), left = (rank + size - 1) % size;
  const int lefts = left == idle_rank ? 0 : items / (left + 1);
  void *from = filled(rank, is_host), *to = filled(50 + rank, is_host);
  MPI_Status status;
  MPI_File_set_view(file, 0, type, type, "native", MPI_INFO_NULL);
  expect(MPI_File_write_at_all(file, rank * items, from, count, type, &status) == MPI_SUCCESS,
         "write_at_all");
  expect(bytes_of(&status) == count * item, "bytes of write_at_all");
  MPI_File_sync(file), MPI_Barrier(MPI_COMM_WORLD), MPI_File_sync(file);
  expect(MPI_File_read_at_all(file, left * items, to, lefts, type, &status) == MPI_SUCCESS, "read_at_all");
  expect(bytes_of(&status) == lefts * item, "bytes of read_at_all");
  expect_items(to, is_host, left, lefts, "read_at_all");
  drop(to, is_host);
  to = filled(50 + rank, is_host);
  MPI_File_seek(file, rank * items, MPI_SEEK_SET);
  expect(MPI_File_read_all(file, to, count, type, &status) == MPI_SUCCESS, "read_all");
  expect_items(to, is_host, rank, count, "read_all");
  MPI_Offset place = 0;
  MPI_File_get_position(file, &place);
  expect(place == rank * items + count, "position");
  MPI_Barrier(MPI_COMM_WORLD);
  drop(from, is_host), drop(to, is_host);
}

/// Rank 0 writes from memory of both kinds, which goes as one piece, others as many as they have.
static void several_memories(MPI_File file) {
  void *near = filled(rank, 1), *far = filled(rank, 0);
  static unsigned char host[most];
  MPI_Aint places[2];
  MPI_Get_address(near, &places[0]), MPI_Get_address(far, &places[1]);
  const int lengths[2] = {most / 2, most / 2};
  MPI_Datatype both;
  MPI_Type_create_struct(2, lengths, places, (const MPI_Datatype[]){MPI_BYTE, MPI_BYTE}, &both);
  MPI_Type_commit(&both);
  MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
  const int code = rank == 0
                       ? MPI_File_write_at_all(file, 0, MPI_BOTTOM, 1, both, MPI_STATUS_IGNORE)
                       : MPI_File_write_at_all(file, rank * most, far, most, MPI_BYTE, MPI_STATUS_IGNORE);
  expect(code == MPI_SUCCESS, "write_at_all of several memories");
  MPI_File_sync(file), MPI_Barrier(MPI_COMM_WORLD), MPI_File_sync(file);
  MPI_File_read_at(file, rank * most, host, most, MPI_BYTE, MPI_STATUS_IGNORE);
  for (int i = 0; i < most; ++i)
    expect(host[i] == value(rank, rank == 0 ? i % (most / 2) : i), "several memories");
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Type_free(&both);
  drop(near, 1), drop(far, 0);
}

/// Only so much of the file is there: some pieces, and a part of one. Of consecutive bytes, as MPICH alone
/// reads more than there is into others.
static void short_read(const char* name) {
  enum { there = 2500 };
  MPI_File file;
  char some[there];
  static unsigned char host[most];
  void* to = filled(50 + rank, 0);
  MPI_Status status;
  for (int i = 0; i < there; ++i) some[i] = (char)value(0, i);
  MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  MPI_File_write_at(file, 0, some, there, MPI_BYTE, MPI_STATUS_IGNORE);
  expect(MPI_File_read_at(file, 0, to, most, MPI_BYTE, &status) == MPI_SUCCESS, "short read_at");
  expect(bytes_of(&status) == there, "bytes of short read_at");
  memory_read(host, to, most);
  for (int i = 0; i < most; ++i) expect(host[i] == value(i < there ? 0 : 50 + rank, i), "short read_at");
  // Where the pointer is then is the MPI's matter.
  MPI_Offset place[2] = {0, 0};
  for (int is_host = 0; is_host < 2; ++is_host) {
    MPI_File_seek(file, 100, MPI_SEEK_SET);
    expect(MPI_File_read(file, is_host ? (void*)host : to, most, MPI_BYTE, &status) == MPI_SUCCESS,
           "short read");
    MPI_File_get_position(file, &place[is_host]);
  }
  expect(place[0] == place[1], "position behind a short read");
  MPI_File_close(&file);
  memory_free(to);
}

/// No rank may write so far. Which of them does, and is told, is the MPI's matter; nobody waits for it.
static void some_fail(MPI_File file, MPI_Datatype type) {
  struct rlimit before, least;
  void* from = filled(rank, 0);
  getrlimit(RLIMIT_FSIZE, &before);
  least = before;
  least.rlim_cur = 200;
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &least);
  const int code = MPI_File_write_at_all(file, rank * items * item, from, items, type, MPI_STATUS_IGNORE);
  setrlimit(RLIMIT_FSIZE, &before);
  int failed = code != MPI_SUCCESS;
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
#ifndef OPEN_MPI  // which alone tells nobody
  expect(failed, "an error of some rank");
#endif
  memory_free(from);
}

int main(int argc, char** argv) {
  char name[100], alone[100];
  if (argc < 2) return 2;
  memory_kind(argv[1]);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  memory_device(rank);
  snprintf(alone, sizeof alone, "/dev/shm/typewarp-piece-%d", (int)getpid());
  MPI_File file = open_shared("pieces", name, sizeof name, MPI_INFO_NULL);
  MPI_Datatype type = apart();
  uneven(file, type, -1, -1);
  uneven(file, type, 0, -1);
  uneven(file, type, 1, 0);
  several_memories(file);
  MPI_File_set_atomicity(file, 1);
  uneven(file, type, -1, 1);
  MPI_File_set_atomicity(file, 0);
  MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
  some_fail(file, type);
  MPI_File_close(&file);
  MPI_Type_free(&type);
  short_read(alone);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("all pieces are right\n");
  MPI_Finalize();
  return 0;
}
