// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files: every call that writes and every call that reads, through a view in which the ranks' blocks take turns.
#include "../common/report.h"
#include "groups.h"
#include "message.h"

#include <stdio.h>
#include <unistd.h>

enum { block = 48, bytes = 1500 };

/// A call that reads or writes, at its file pointer or at the start of the view.
typedef int (*call)(MPI_File file, const struct side* side, MPI_Status* status);

#define DATA side->buf, side->count, side->shape.type
#define AT 0, DATA
#define DEFINE(name, made)                                                        \
  static int try_##name(MPI_File file, const struct side* side, MPI_Status* status) {   \
    MPI_Request request = MPI_REQUEST_NULL;                                       \
    int code = made;                                                              \
    if (request != MPI_REQUEST_NULL) code = MPI_Wait(&request, status);           \
    return code;                                                                  \
  }
#define BLOCKING(name, ...) DEFINE(name, TWIN(MPI_File_##name, file, __VA_ARGS__, status))
#define NONBLOCKING(name, ...) DEFINE(name, TWIN(MPI_File_##name, file, __VA_ARGS__, &request))
#define IN_TWO(name, ...)                                                  \
  DEFINE(name##_in_two, TWIN(MPI_File_##name##_begin, file, __VA_ARGS__)   \
                            || MPI_File_##name##_end(file, side->buf, status))
#ifdef OPEN_MPI  // whose own may never end where several threads call it
#define NONBLOCKING_OF_ALL(name, ...)
#else
#define NONBLOCKING_OF_ALL NONBLOCKING
#endif
#define ALL_CALLS(verb)               \
  BLOCKING(verb, DATA)                \
  BLOCKING(verb##_all, DATA)          \
  BLOCKING(verb##_at, AT)             \
  BLOCKING(verb##_at_all, AT)         \
  BLOCKING(verb##_shared, DATA)       \
  BLOCKING(verb##_ordered, DATA)      \
  NONBLOCKING(i##verb, DATA)          \
  NONBLOCKING_OF_ALL(i##verb##_all, DATA) \
  NONBLOCKING(i##verb##_at, AT)       \
  NONBLOCKING_OF_ALL(i##verb##_at_all, AT) \
  NONBLOCKING(i##verb##_shared, DATA) \
  IN_TWO(verb##_all, DATA)            \
  IN_TWO(verb##_at_all, AT)           \
  IN_TWO(verb##_ordered, DATA)
ALL_CALLS(read)
ALL_CALLS(write)

/// How ranks share the file.
enum places {
  own_blocks,    ///< each through a view of its own
  one_pointer,   ///< all by the pointer that they share, in the order of ranks
  only_one_rank  ///< the same pointer, which only one rank uses
};

static const struct pair {
  const char* name;
  call write, read;
  enum places places;
} pairs[] = {{"write, read", try_write, try_read, own_blocks},
             {"write_all, read_all", try_write_all, try_read_all, own_blocks},
             {"write_at, read_at", try_write_at, try_read_at, own_blocks},
             {"write_at_all, read_at_all", try_write_at_all, try_read_at_all, own_blocks},
             {"iwrite, iread", try_iwrite, try_iread, own_blocks},
#ifndef OPEN_MPI
             {"iwrite_all, iread_all", try_iwrite_all, try_iread_all, own_blocks},
             {"iwrite_at_all, iread_at_all", try_iwrite_at_all, try_iread_at_all, own_blocks},
#endif
             {"iwrite_at, iread_at", try_iwrite_at, try_iread_at, own_blocks},
             {"write_all, read_all in two", try_write_all_in_two, try_read_all_in_two, own_blocks},
             {"write_at_all, read_at_all in two", try_write_at_all_in_two, try_read_at_all_in_two, own_blocks},
             {"write_ordered, read_ordered", try_write_ordered, try_read_ordered, one_pointer},
             {"write_ordered, read_ordered in two", try_write_ordered_in_two, try_read_ordered_in_two, one_pointer},
             {"write_shared, read_shared", try_write_shared, try_read_shared, only_one_rank},
             {"iwrite_shared, iread_shared", try_iwrite_shared, try_iread_shared, only_one_rank}};

static MPI_File open_file(const char* name) {
  MPI_File file;
  MPI_File_open(world.comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  return file;
}

static void rewind_all(MPI_File file, const struct pair* p) {
  MPI_File_sync(file);
  MPI_Barrier(world.comm);
  if (p->places == own_blocks) {
    MPI_File_seek(file, 0, MPI_SEEK_SET);
  } else {
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  }
  MPI_Barrier(world.comm);
}

/// Of a part of the file that begins at `begin`.
static void set_view(MPI_File file, const struct pair* p, MPI_Offset begin) {
  MPI_Datatype ours, turns;
  if (p->places != own_blocks) {
    MPI_File_set_view(file, begin, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    return;
  }
  MPI_Type_contiguous(block, MPI_BYTE, &ours);
  MPI_Type_create_resized(ours, 0, (MPI_Aint)block * world.size, &turns);
  MPI_Type_commit(&turns);
  MPI_File_set_view(file, begin + (MPI_Offset)block * world.rank, MPI_BYTE, turns, "native", MPI_INFO_NULL);
  MPI_Type_free(&turns);
  MPI_Type_free(&ours);
}

static void try_pair(MPI_File file, const struct pair* p, int kind, MPI_Offset begin) {
  struct side from = side_of(kind, bytes, 0, 100 + world.rank), to = side_of(kind, bytes, 0, 7);
  const int takes_part = p->places != only_one_rank || world.rank == world.size - 1;
  MPI_Status wrote, got;
  int codes[2] = {MPI_SUCCESS, MPI_SUCCESS};
  set_view(file, p, begin);
  rewind_all(file, p);
  if (takes_part) codes[0] = p->write(file, &from, &wrote);
  rewind_all(file, p);
  if (takes_part) codes[1] = p->read(file, &to, &got);
  report("%s of %s%s: %s, %s, %016lx %016lx", p->name, type_names[kind], world.large ? " large" : "", error_text(codes[0]),
         error_text(codes[1]), side_hash(&from), side_hash(&to));
  if (takes_part) {
    int written = -1, elements = -1, items = -1;
    MPI_Get_count(&wrote, from.shape.type, &written);
    MPI_Get_elements(&got, to.shape.type, &elements);
    MPI_Get_count(&got, to.shape.type, &items);
    report("  %d %d %d", written, elements, items);
  }
  side_free(&from);
  side_free(&to);
}

/// The file ends within what is asked for. Of consecutive bytes: into other memory MPICH alone reads more than
/// there is. Open MPI alone does so in collective calls, and does not end where a call does not block.
static void read_beyond_the_end(const char* name) {
  static const struct {
    const char* name;
    call call;
  } tried[] = {{"read", try_read}, {"read_at", try_read_at}};
  const char some[700] = {1, 2, 3, 4, 5};
  MPI_File file = open_file(name);
  if (world.rank == 0) MPI_File_write_at(file, 0, some, sizeof some, MPI_BYTE, MPI_STATUS_IGNORE);
  for (size_t i = 0; i < sizeof tried / sizeof tried[0]; ++i) {
    struct side to = side_of(0, bytes, 0, 8);
    MPI_Status status;
    int got = -1;
    rewind_all(file, &pairs[0]);
    const int code = tried[i].call(file, &to, &status);
    MPI_Get_elements(&status, MPI_BYTE, &got);
    report("%s beyond the end%s: %s, %d, %016lx", tried[i].name, world.large ? " large" : "", error_text(code), got,
           side_hash(&to));
    side_free(&to);
  }
  // Some MPIs tell here that all came. What lies behind the end stays as it was.
  struct side to = side_of(0, bytes, 0, 9);
  rewind_all(file, &pairs[0]);
  MPI_File_read_at_all(file, 0, to.buf, to.count, to.shape.type, MPI_STATUS_IGNORE);
  report("read_at_all beyond the end%s: %016lx", world.large ? " large" : "", side_hash(&to));
  side_free(&to);
  MPI_File_close(&file);
}

/// What is written to a file that is open for reading only, and to a device that is always full. Each rank by
/// itself.
static void write_in_vain(void) {
  char name[200];
  const int process = (int)getpid();
  MPI_File file;
  struct side from = side_of(3, bytes, 0, 7);
  snprintf(name, sizeof name, "/tmp/typewarp-read-only-%d", process);
  MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  MPI_File_close(&file);
  MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  report("write to what is read only%s: %s", world.large ? " large" : "",
         error_text(try_write_at(file, &from, MPI_STATUS_IGNORE)));
  MPI_File_close(&file);
  MPI_File_open(MPI_COMM_SELF, "/dev/full", MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  const int code = try_write_at(file, &from, MPI_STATUS_IGNORE);
  report("write to a full disk%s: %s", world.large ? " large" : "",
         code == MPI_SUCCESS ? "no error" : "an error");
  MPI_File_close(&file);
  side_free(&from);
}

void group_file(void) {
  enum { part = 16 * 1024 };  // enough for all ranks
  char name[200];
  const char* folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";  // a disk would take its time to synchronise
  int process = (int)getpid();
  MPI_Offset begin = 0;
  MPI_Bcast(&process, 1, MPI_INT, 0, world.comm);
  snprintf(name, sizeof name, "%s/typewarp-calls-%d", folder, process);
  MPI_File file = open_file(name);
  for (int kind = 0; kind < types; kind += 3) {
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; ++i, begin += part) try_pair(file, &pairs[i], kind, begin);
  }
  MPI_File_close(&file);
  read_beyond_the_end(name);
  write_in_vain();
  report("no file%s: %s", world.large ? " large" : "",
         error_text(MPI_File_open(MPI_COMM_SELF, "/nowhere/at/all", MPI_MODE_RDONLY, MPI_INFO_NULL, &file)));
}
