// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collective calls that NCCL may make, on memory of a device, against the same calls on host memory.
//
// usage: program <kind> <expectation>
//   used       NCCL makes each call that it can make, and none of the others
//   unused     it makes none
//   failing    the first fails in NCCL, of which the error handler is told, and later ones are made without
//   it
#include "../common/memory.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, ranks, wrong;
static const char *kind, *expectation;

/// What the fake NCCL counts in this process; -1 where it is not the one.
static int ask(const char* what) {
  const char* const path = getenv("TYPEWARP_NCCL");
  if (path == NULL) return -1;
  void* const library = strcmp(path, "0") == 0 ? NULL : dlopen(path, RTLD_NOW | RTLD_NOLOAD);
  if (library == NULL) return 0;
  int (*const function)(void) = (int (*)(void))dlsym(library, what);
  const int found = function == NULL ? -1 : function();
  dlclose(library);
  return found;
}

static void expect(int condition, const char* name, const char* what) {
  if (condition) return;
  printf("rank %d: %s: %s\n", rank, name, what);
  fflush(stdout);
  wrong = 1;
}

/// A buffer in memory of the kind, and its twin in host memory.
struct twins {
  char *tested, *host;
  size_t bytes;
};

static struct twins twins_of(size_t bytes, int on_device) {
  struct twins made = {NULL, malloc(bytes), bytes};
  memory_kind(on_device ? kind : "host");
  made.tested = memory_get(bytes);
  memory_kind(kind);
  return made;
}

static void fill(struct twins* t, int seed) {
  // Small numbers of whatever type, so that no operation rounds or overflows to what is undefined.
  for (size_t i = 0; i < t->bytes; ++i) t->host[i] = i % 4 == 0 ? (char)(1 + (i / 4 + (size_t)seed) % 3) : 0;
  memory_write(t->tested, t->host, t->bytes);
}
static void fill_doubles(struct twins* t, int seed) {
  for (size_t i = 0; i < t->bytes / sizeof(double); ++i)
    ((double*)(void*)t->host)[i] = (double)(1 + (i + (size_t)seed) % 3);
  memory_write(t->tested, t->host, t->bytes);
}

static void compare(struct twins* t, const char* name) {
  char* const seen = malloc(t->bytes);
  memory_read(seen, t->tested, t->bytes);
  expect(memcmp(seen, t->host, t->bytes) == 0, name, "other bytes than in host memory");
  free(seen);
}

static void drop(struct twins* t, int on_device) {
  memory_kind(on_device ? kind : "host");
  memory_free(t->tested);
  memory_kind(kind);
  free(t->host);
}

/// A call, made on both twins.
struct test {
  const char* name;
  int by_nccl;     ///< whether NCCL has it, where all ranks have device memory
  int host_ranks;  ///< of the first so many ranks the memory is the host's
  size_t sent, received;
  int (*call)(const void* sent, void* received);
};

static MPI_Comm comm;
static int root, items;
static MPI_Datatype type, other_type;
static MPI_Op op;

static int allreduce(const void* s, void* r) { return MPI_Allreduce(s, r, items, type, op, comm); }
static int allreduce_in_place(const void* s, void* r) {
  (void)s;
  return MPI_Allreduce(MPI_IN_PLACE, r, items, type, op, comm);
}
static int reduce(const void* s, void* r) { return MPI_Reduce(s, r, items, type, op, root, comm); }
static int reduce_in_place(const void* s, void* r) {
  return MPI_Reduce(rank == root ? MPI_IN_PLACE : s, r, items, type, op, root, comm);
}
static int scatter_block(const void* s, void* r) {
  return MPI_Reduce_scatter_block(s, r, items, type, op, comm);
}
static int bcast(const void* s, void* r) {
  (void)s;
  return MPI_Bcast(r, items, type, root, comm);
}
/// By one type in even ranks, and by another of the same signature in odd ones.
static int bcast_mixed(const void* s, void* r) {
  (void)s;
  return rank % 2 == 0 ? MPI_Bcast(r, items, type, root, comm)
                       : MPI_Bcast(r, items / 2, other_type, root, comm);
}
static int allgather(const void* s, void* r) { return MPI_Allgather(s, items, type, r, items, type, comm); }
static int allgather_in_place(const void* s, void* r) {
  (void)s;
  return MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, r, items, type, comm);
}
static int allgather_spread(const void* s, void* r) {
  return MPI_Allgather(s, items, type, r, items / 2, other_type, comm);
}
static int allgather_packed(const void* s, void* r) {
  return MPI_Allgather(s, items / 2, other_type, r, items, type, comm);
}
static int iallreduce(const void* s, void* r) {
  MPI_Request request;
  const int code = MPI_Iallreduce(s, r, items, type, op, comm, &request);
  if (code == MPI_SUCCESS) MPI_Wait(&request, MPI_STATUS_IGNORE);
  return code;
}

static void run(const struct test* t) {
  const int on_device = rank >= t->host_ranks;
  struct twins s = twins_of(t->sent, on_device), r = twins_of(t->received, on_device);
  (type == MPI_DOUBLE || other_type != MPI_DATATYPE_NULL ? fill_doubles : fill)(&s, rank);
  (type == MPI_DOUBLE || other_type != MPI_DATATYPE_NULL ? fill_doubles : fill)(&r, rank + 1);
  const int before = ask("fake_nccl_calls");
  expect(t->call(s.tested, r.tested) == MPI_SUCCESS, t->name, "failed");
  const int calls = ask("fake_nccl_calls") - before;
  expect(t->call(s.host, r.host) == MPI_SUCCESS, t->name, "failed in host memory");
  compare(&s, t->name);
  compare(&r, t->name);
  const int is_fake = ask("fake_nccl_alive") >= 0;
  const int by_nccl = t->by_nccl && t->host_ranks == 0 && strcmp(expectation, "used") == 0;
  expect(!is_fake || (calls > 0) == by_nccl, t->name, by_nccl ? "was not made by NCCL" : "was made by NCCL");
  drop(&s, on_device);
  drop(&r, on_device);
}

static size_t bytes_of(int count, MPI_Datatype of) {
  MPI_Aint lb, extent;
  MPI_Type_get_extent(of, &lb, &extent);
  return (size_t)count * (size_t)extent;
}

static void reductions(void) {
  const struct {
    MPI_Datatype type;
    int has;
  } types[] = {{MPI_INT8_T, 1},   {MPI_UINT8_T, 1}, {MPI_INT, 1},    {MPI_UNSIGNED, 1}, {MPI_LONG, 1},
               {MPI_UINT64_T, 1}, {MPI_FLOAT, 1},   {MPI_DOUBLE, 1}, {MPI_SHORT, 0}};
  const struct {
    MPI_Op op;
    int has;
  } ops[] = {{MPI_SUM, 1}, {MPI_PROD, 1}, {MPI_MIN, 1}, {MPI_MAX, 1}, {MPI_BOR, 0}};
  other_type = MPI_DATATYPE_NULL;
  items = 30000;
  for (int i = 0; i < (int)(sizeof types / sizeof *types); ++i) {
    for (int j = 0; j < (int)(sizeof ops / sizeof *ops); ++j) {
      type = types[i].type;
      op = ops[j].op;
      if (op == MPI_BOR && (type == MPI_FLOAT || type == MPI_DOUBLE)) continue;
      root = (i + j) % ranks;
      const int has = types[i].has && ops[j].has;
      const size_t one = bytes_of(items, type);
      run(&(struct test){"allreduce", has, 0, one, one, allreduce});
      if (j != 0) continue;
      run(&(struct test){"allreduce in place", has, 0, 8, one, allreduce_in_place});
      run(&(struct test){"reduce", has, 0, one, one, reduce});
      run(&(struct test){"reduce in place", has, 0, one, one, reduce_in_place});
      run(&(struct test){"reduce_scatter_block", has, 0, one * (size_t)ranks, one, scatter_block});
      run(&(struct test){"allreduce, one rank in host memory", has, 1, one, one, allreduce});
      run(&(struct test){"allreduce, all in host memory", has, ranks, one, one, allreduce});
      run(&(struct test){"iallreduce", 0, 0, one, one, iallreduce});
    }
  }
}

static void movements(void) {
  MPI_Datatype spread;
  MPI_Type_vector(2, 1, 3, MPI_DOUBLE, &spread);  // two doubles, 32 bytes
  MPI_Type_commit(&spread);
  const int counts[] = {0, 2, 30000, 400000};
  for (int i = 0; i < 4; ++i) {
    items = counts[i];
    const int is_long = items > 2;
    const size_t one = 8 + bytes_of(items, MPI_DOUBLE), wide = 8 + bytes_of(items, spread),
                 all = (size_t)ranks;
    for (root = 0; root < ranks; ++root) {
      type = MPI_DOUBLE;
      other_type = MPI_DATATYPE_NULL;
      run(&(struct test){"bcast", is_long, 0, 8, one, bcast});
      run(&(struct test){"bcast, one rank in host memory", is_long, 1, 8, one, bcast});
      other_type = spread;
      run(&(struct test){"bcast, some of it not consecutive", is_long, 0, 8, wide, bcast_mixed});
      type = spread;
      run(&(struct test){"bcast, not consecutive", is_long, 0, 8, wide, bcast});
    }
    type = MPI_DOUBLE;
    other_type = MPI_DATATYPE_NULL;
    run(&(struct test){"allgather", is_long, 0, one, one * all, allgather});
    run(&(struct test){"allgather in place", is_long, 0, 8, one * all, allgather_in_place});
    other_type = spread;
    run(&(struct test){"allgather into gaps", is_long, 0, one, wide * all, allgather_spread});
    run(&(struct test){"allgather out of gaps", is_long, 0, wide, one * all, allgather_packed});
    type = spread;
    run(&(struct test){"allgather of gaps", is_long, 0, wide, wide * all, allgather});
    run(&(struct test){"allgather of gaps in place", is_long, 0, 8, wide * all, allgather_in_place});
  }
  MPI_Type_free(&spread);
}

/// Calls that are too short for the library's own reductions: after many of host memory NCCL makes one of the next
/// sixteen of device memory, and all that follow.
static void after_host_memory(void) {
  items = 10000;
  const size_t one = bytes_of(items, type);
  struct twins s = twins_of(one, 1), r = twins_of(one, 1);
  fill_doubles(&s, rank);
  for (int i = 0; i < 40; ++i) allreduce(s.host, r.host);
  int first = 0, before = ask("fake_nccl_calls");
  while (first < 16 && ask("fake_nccl_calls") == before) {
    allreduce(s.tested, r.tested);
    compare(&r, "allreduce after many of host memory");
    ++first;
  }
  const int is_asked = strcmp(expectation, "used") == 0 && before >= 0;
  expect(!is_asked || first > 1, "allreduce after many of host memory", "the ranks still ask before each");
  expect(!is_asked || ask("fake_nccl_calls") > before, "allreduce after many of host memory",
         "was not made by NCCL");
  drop(&s, 1);
  drop(&r, 1);
}

/// Other communicators: their own, which go when they are freed, and one between groups, which never has one.
static void communicators(void) {
  const int before = ask("fake_nccl_alive");
  type = MPI_DOUBLE;
  other_type = MPI_DATATYPE_NULL;
  op = MPI_SUM;
  items = 30000;
  root = 0;
  const size_t one = bytes_of(items, type);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  run(&(struct test){"allreduce of a duplicate", 1, 0, one, one, allreduce});
  expect(strcmp(expectation, "used") != 0 || before < 0 || ask("fake_nccl_alive") == before + 1, "duplicate",
         "has no NCCL");
  after_host_memory();
  MPI_Comm_free(&comm);
  for (int i = 0; i < 10000 && ask("fake_nccl_alive") != before; ++i) {
    nanosleep(&(struct timespec){.tv_nsec = 1000000},
              NULL);  // it ends in a thread, in each rank at its own time
  }
  expect(ask("fake_nccl_alive") == before, "duplicate", "is still there");
  comm = MPI_COMM_SELF;
  run(&(struct test){"allreduce of one rank", 0, 0, one, one, allreduce});
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &comm);
  run(&(struct test){"allreduce between groups", 0, 0, one, one, allreduce});
  MPI_Comm_free(&comm);
  MPI_Comm_free(&half);
  comm = MPI_COMM_WORLD;
}

/// The code of the first call that NCCL makes; 0 where it does not fail here.
static void failing(void) {
  char text[MPI_MAX_ERROR_STRING];
  int length;
  type = MPI_DOUBLE;
  other_type = MPI_DATATYPE_NULL;
  op = MPI_SUM;
  items = 30000;
  const size_t one = bytes_of(items, type);
  struct twins s = twins_of(one, 1), r = twins_of(one, 1);
  fill_doubles(&s, rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int code = allreduce(s.tested, r.tested);
  int failed = code != MPI_SUCCESS;
  if (failed) {
    MPI_Error_string(code, text, &length);
    expect(strstr(text, "NCCL failed") != NULL, "a call that fails", text);
  }
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  expect(failed, "a call that fails", "fails in no rank");
  drop(&s, 1);
  drop(&r, 1);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  for (int i = 0; i < 3; ++i) run(&(struct test){"allreduce after that", 0, 0, one, one, allreduce});
}

int main(int argc, char** argv) {
  int provided;
  kind = argc == 3 ? argv[1] : "";
  expectation = argc == 3 ? argv[2] : "";
  memory_kind(kind);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  memory_device(rank);
  comm = MPI_COMM_WORLD;
  if (strcmp(expectation, "failing") == 0) {
    failing();
  } else {
    reductions();
    movements();
    communicators();
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  if (ask("fake_nccl_alive") > 0) {
    printf("rank %d: communicators of NCCL are left\n", rank);
    return 1;
  }
  if (rank == 0 && !wrong) fprintf(stderr, "all as expected\n");  // where the library tells its NCCL: in order
  return wrong;
}
