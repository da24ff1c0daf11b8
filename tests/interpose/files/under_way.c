// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// usage: under_way <kind of memory> waited|tested
// Nonblocking collective calls of one file, several at a time: of memory and of places in the file that are
// consecutive or not, from memory of that kind and of the host by turns, with two-phase buffering. They are waited for in
// their order; with `tested` in each other way as well, of which MPICH alone makes a crash, and a call that blocks, or
// one in two halves, comes in between.
#include "../common/memory.h"
#include "open_shared.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { at_once = 3, parts = at_once + 1, items = 4000, apart = 2 };
enum way { all_at_once, one_by_one, testall, from_the_last, test_each, whichever, ways };

static int rank, size;

static void expect(int right, const char* what) {
  if (right) return;
  fprintf(stderr, "rank %d: %s: wrong\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static int value(int of, int part, int i) { return (of * parts + part + 1) * 100000 + i; }

static MPI_Datatype every(int ints) {
  MPI_Datatype made;
  MPI_Type_create_resized(MPI_INT, 0, ints * (MPI_Aint)sizeof(int), &made);
  MPI_Type_commit(&made);
  return made;
}

/// Ints of a call, each `step` after the other; between them is what nobody may touch.
struct data {
  int *memory, step, is_host;
};

static size_t bytes_of(struct data data) { return (size_t)items * data.step * sizeof(int); }

static void fill(struct data data, int part, int written) {
  int* made = malloc(bytes_of(data));
  for (int i = 0; i < items * data.step; ++i)
    made[i] = i % data.step == 0 && written ? value(rank, part, i / data.step) : -1 - i;
  if (data.is_host) memcpy(data.memory, made, bytes_of(data));
  if (!data.is_host) memory_write(data.memory, made, bytes_of(data));
  free(made);
}

static void expect_read(struct data data, int part, const char* what) {
  int* read = malloc(bytes_of(data));
  if (data.is_host) memcpy(read, data.memory, bytes_of(data));
  if (!data.is_host) memory_read(read, data.memory, bytes_of(data));
  for (int i = 0; i < items * data.step; ++i)
    expect(read[i] == (i % data.step == 0 ? value(rank, part, i / data.step) : -1 - i), what);
  free(read);
}

static void end(MPI_Request* requests, enum way way) {
  int done = 0, index;
  if (way == all_at_once) MPI_Waitall(at_once, requests, MPI_STATUSES_IGNORE);
  while (way == testall && !done) MPI_Testall(at_once, requests, &done, MPI_STATUSES_IGNORE);
  for (int k = 0; k < at_once; ++k) {
    if (way == one_by_one) MPI_Wait(&requests[k], MPI_STATUS_IGNORE);
    if (way == from_the_last) MPI_Wait(&requests[at_once - 1 - k], MPI_STATUS_IGNORE);
    if (way == whichever) MPI_Waitany(at_once, requests, &index, MPI_STATUS_IGNORE);
  }
  for (int k = 0; way == test_each && done < at_once; k = (k + 1) % at_once) {
    int flag = 0;
    if (requests[k] != MPI_REQUEST_NULL) MPI_Test(&requests[k], &flag, MPI_STATUS_IGNORE);
    done += flag;
  }
}

/// What one rank finds in the file, whatever way it was written.
static void expect_file(const char* name, int is_apart) {
  const int all = parts * size * items;
  int* found = malloc((size_t)all * sizeof(int));
  FILE* file = fopen(name, "rb");
  expect(file != NULL && fread(found, sizeof(int), all, file) == (size_t)all, "length of the file");
  fclose(file);
  for (int part = 0; part < parts; ++part) {
    for (int of = 0; of < size; ++of) {
      for (int i = 0; i < items; ++i) {
        const int place = is_apart ? (part * items + i) * size + of : (part * size + of) * items + i;
        expect(found[place] == value(of, part, i), "the file");
      }
    }
  }
  free(found);
}

/// At the file's pointer, which must be behind it then, or at a place.
static int start(MPI_File file, int writes, int at_pointer, MPI_Offset place, const struct data* data, MPI_Datatype type,
                 MPI_Request* request) {
  if (!at_pointer)
    return writes ? MPI_File_iwrite_at_all(file, place, data->memory, items, type, request)
                  : MPI_File_iread_at_all(file, place, data->memory, items, type, request);
  const int code = writes ? MPI_File_iwrite_all(file, data->memory, items, type, request)
                          : MPI_File_iread_all(file, data->memory, items, type, request);
  MPI_Offset behind = -1;
  MPI_File_get_position(file, &behind);
  expect(behind == place + items, "position");
  return code;
}

/// By a call that blocks, or by one in two halves.
static int move_all(MPI_File file, int writes, int in_halves, MPI_Offset place, const struct data* data, MPI_Datatype type) {
  if (!in_halves)
    return writes ? MPI_File_write_at_all(file, place, data->memory, items, type, MPI_STATUS_IGNORE)
                  : MPI_File_read_at_all(file, place, data->memory, items, type, MPI_STATUS_IGNORE);
  const int code = writes ? MPI_File_write_at_all_begin(file, place, data->memory, items, type)
                          : MPI_File_read_at_all_begin(file, place, data->memory, items, type);
  if (code != MPI_SUCCESS) return code;
  return writes ? MPI_File_write_at_all_end(file, data->memory, MPI_STATUS_IGNORE)
                : MPI_File_read_at_all_end(file, data->memory, MPI_STATUS_IGNORE);
}

static void try(MPI_File file, const char* name, int step, int is_apart, enum way way) {
  char what[100];
  struct data data[parts];
  MPI_Request requests[at_once];
  MPI_Datatype in_memory = every(step), in_file = every(size);
  MPI_Offset places[parts];
  snprintf(what, sizeof what, "memory every %d, file every %d, way %d", step, is_apart ? size : 1, (int)way);
  for (int k = 0; k < parts; ++k) {
    data[k] = (struct data){NULL, step, k % 2};
    data[k].memory = data[k].is_host ? malloc(bytes_of(data[k])) : memory_get(bytes_of(data[k]));
    places[k] = is_apart ? k * items : (k * size + rank) * items;
  }
  MPI_File_set_size(file, 0);
  MPI_File_set_view(file, is_apart ? rank * (MPI_Offset)sizeof(int) : 0, MPI_INT, is_apart ? in_file : MPI_INT, "native",
                    MPI_INFO_NULL);
  for (int writes = 1; writes >= 0; --writes) {
    const int last = parts - 1;
    for (int k = 0; k < parts; ++k) fill(data[k], k, writes);
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    for (int k = 0; k < at_once; ++k) {
      const int code = start(file, writes, is_apart && way % 2 == 1, places[k], &data[k], in_memory, &requests[k]);
      expect(code == MPI_SUCCESS, what);
    }
    if (way <= one_by_one) end(requests, way);
    expect(move_all(file, writes, way % 2 == 1, places[last], &data[last], in_memory) == MPI_SUCCESS, what);
    if (way > one_by_one) end(requests, way);
    for (int k = 0; k < parts; ++k) expect_read(data[k], k, what);
    MPI_File_sync(file), MPI_Barrier(MPI_COMM_WORLD), MPI_File_sync(file);
    if (writes && rank == 0) expect_file(name, is_apart);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  for (int k = 0; k < parts; ++k) data[k].is_host ? free(data[k].memory) : memory_free(data[k].memory);
  MPI_Type_free(&in_memory), MPI_Type_free(&in_file);
}

int main(int argc, char** argv) {
  static const char* const hints[][2] = {
      {"cb_nodes", "2"}, {"cb_buffer_size", "16384"}, {"romio_cb_write", "enable"}, {"romio_cb_read", "enable"}};
  char name[100];
  MPI_Info info;
  if (argc < 3) return 2;
  memory_kind(argv[1]);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  memory_device(rank);
  MPI_Info_create(&info);
  for (size_t i = 0; i < sizeof hints / sizeof hints[0]; ++i) MPI_Info_set(info, hints[i][0], hints[i][1]);
  MPI_File file = open_shared("under-way", name, sizeof name, info);
  MPI_Info_free(&info);
  const int last = strcmp(argv[2], "tested") == 0 ? ways : testall;
  for (int way = 0; way < last; ++way) {
    for (int is_apart = 0; is_apart < 2; ++is_apart) {
      try(file, name, 1, is_apart, (enum way)way);
      try(file, name, apart, is_apart, (enum way)way);
    }
  }
  MPI_File_close(&file);
  if (rank == 0) printf("all under way are right\n");
  MPI_Finalize();
  return 0;
}
