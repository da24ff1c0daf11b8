// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// usage: storm <kind of memory> [seconds [seed]]
// Messages, collective calls in all forms, windows and files at once: two threads of each rank, each with
// communicators and a window of its own, and one with a file, make random calls of random sizes, short ones
// and such that travel by other ways. Each number that arrives is checked. Fails if memory of the host grew
// from the first half to the end.
#include "../common/memory.h"

#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { threads = 2, most_ranks = 8, most = 40000, calls_at_once = 2, rounds_between_looks = 20 };
// What tests/interpose/apps/soak.c lets grow, and what ranks keep of each other.
static const long allowed_growth = (24L + 64L) << 20;

static int rank, size;
static double seconds = 3;

/// Buffers of one call.
struct call {
  int *sent, *received, *expected;  ///< the last is the host's
  int count, root, round;
  int counts[most_ranks], places[most_ranks];
  MPI_Request request;
};

struct thread {
  int number;
  uint64_t state;  ///< the same in all ranks
  MPI_Comm comm, ring;
  MPI_Win win;
  MPI_File file;
  int *window, *host;
  struct call calls[calls_at_once];
};

static unsigned below(struct thread* t, unsigned n) {
  t->state = t->state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(t->state >> 33) % n;
}

/// Number i of what a rank sends in a round.
static int value(const struct thread* t, const struct call* c, int from, int i) {
  return 7 * i + 1000003 * from + 31 * c->round + t->number;
}

static void wrong(const struct thread* t, const char* name, int round) {
  fprintf(stderr, "rank %d, thread %d: %s in round %d is wrong\n", rank, t->number, name, round);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void expect(const struct thread* t, const char* name, int round, const int* memory,
                   const int* expected, int n) {
  memory_read(t->host, memory, (size_t)n * sizeof(int));
  for (int i = 0; i < n; ++i) {
    if (t->host[i] != expected[i]) wrong(t, name, round);
  }
}

static void fill(const struct thread* t, const struct call* c, int n) {
  for (int i = 0; i < n; ++i) t->host[i] = value(t, c, rank, i);
  memory_write(c->sent, t->host, (size_t)n * sizeof(int));
}

/// What is expected from a rank: so many of its numbers, from one on.
static int take(const struct thread* t, struct call* c, int at, int from, int first, int n) {
  for (int i = 0; i < n; ++i) c->expected[at + i] = value(t, c, from, first + i);
  return at + n;
}

/// A collective call that moves, begun or done; how many numbers are expected.
enum { bcast, allgather, alltoall, gatherv, scatterv, neighbours, allreduce, kinds };
static const char* const names[kinds] = {"bcast",    "allgather",  "alltoall", "gatherv",
                                         "scatterv", "neighbours", "allreduce"};

static int begin(struct thread* t, struct call* c, int kind, int blocks) {
  const int n = c->count, left = (rank + size - 1) % size, right = (rank + 1) % size;
  int expected = 0;
  for (int i = 0, at = 0; i < size; at += c->counts[i++]) {
    c->counts[i] = 1 + (n * (i + 1)) / size;
    c->places[i] = at;
  }
  fill(t, c, kind == alltoall || kind == scatterv ? size * (n + 1) : kind == neighbours ? 2 * n : n + 1);
  c->request = MPI_REQUEST_NULL;
  switch (kind) {
    case bcast:
      for (int i = 0; i < n; ++i) t->host[i] = value(t, c, rank, i);
      memory_write(c->received, t->host, (size_t)n * sizeof(int));
      expected = take(t, c, 0, c->root, 0, n);
      if (blocks)
        MPI_Bcast(c->received, n, MPI_INT, c->root, t->comm);
      else
        MPI_Ibcast(c->received, n, MPI_INT, c->root, t->comm, &c->request);
      break;
    case allgather:
      for (int i = 0; i < size; ++i) expected = take(t, c, expected, i, 0, n);
      if (blocks)
        MPI_Allgather(c->sent, n, MPI_INT, c->received, n, MPI_INT, t->comm);
      else
        MPI_Iallgather(c->sent, n, MPI_INT, c->received, n, MPI_INT, t->comm, &c->request);
      break;
    case alltoall:
      for (int i = 0; i < size; ++i) expected = take(t, c, expected, i, rank * n, n);
      if (blocks)
        MPI_Alltoall(c->sent, n, MPI_INT, c->received, n, MPI_INT, t->comm);
      else
        MPI_Ialltoall(c->sent, n, MPI_INT, c->received, n, MPI_INT, t->comm, &c->request);
      break;
    case gatherv:
      for (int i = 0; rank == c->root && i < size; ++i) expected = take(t, c, expected, i, 0, c->counts[i]);
      if (blocks)
        MPI_Gatherv(c->sent, c->counts[rank], MPI_INT, c->received, c->counts, c->places, MPI_INT, c->root,
                    t->comm);
      else
        MPI_Igatherv(c->sent, c->counts[rank], MPI_INT, c->received, c->counts, c->places, MPI_INT, c->root,
                     t->comm, &c->request);
      break;
    case scatterv:
      expected = take(t, c, 0, c->root, c->places[rank], c->counts[rank]);
      if (blocks)
        MPI_Scatterv(c->sent, c->counts, c->places, MPI_INT, c->received, c->counts[rank], MPI_INT, c->root,
                     t->comm);
      else
        MPI_Iscatterv(c->sent, c->counts, c->places, MPI_INT, c->received, c->counts[rank], MPI_INT, c->root,
                      t->comm, &c->request);
      break;
    case neighbours:
      expected = take(t, c, take(t, c, 0, left, n, n), right, 0, n);
      if (blocks)
        MPI_Neighbor_alltoall(c->sent, n, MPI_INT, c->received, n, MPI_INT, t->ring);
      else
        MPI_Ineighbor_alltoall(c->sent, n, MPI_INT, c->received, n, MPI_INT, t->ring, &c->request);
      break;
    default:
      for (expected = 0; expected < n; ++expected) {
        c->expected[expected] = 0;
        for (int i = 0; i < size; ++i) c->expected[expected] += value(t, c, i, expected);
      }
      if (blocks)
        MPI_Allreduce(c->sent, c->received, n, MPI_INT, MPI_SUM, t->comm);
      else
        MPI_Iallreduce(c->sent, c->received, n, MPI_INT, MPI_SUM, t->comm, &c->request);
  }
  return expected;
}

static int any_count(struct thread* t) { return 1 + (int)below(t, below(t, 2) ? most : 100); }

static void collectives(struct thread* t, int round) {
  int kind[calls_at_once], expected[calls_at_once];
  MPI_Request requests[calls_at_once];
  for (int i = 0; i < calls_at_once; ++i) {
    struct call* const c = &t->calls[i];
    c->count = any_count(t);
    c->root = (int)below(t, (unsigned)size);
    c->round = 2 * round + i;
    kind[i] = (int)below(t, kinds);
    expected[i] = begin(t, c, kind[i], (int)below(t, 2));
    requests[i] = c->request;
  }
  MPI_Waitall(calls_at_once, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < calls_at_once; ++i)
    expect(t, names[kind[i]], round, t->calls[i].received, t->calls[i].expected, expected[i]);
}

static void messages(struct thread* t, int round) {
  struct call* const c = &t->calls[0];
  MPI_Request requests[2];
  c->count = any_count(t);
  c->round = round;
  fill(t, c, c->count);
  take(t, c, 0, (rank + size - 1) % size, 0, c->count);
  MPI_Irecv(c->received, c->count, MPI_INT, (rank + size - 1) % size, 5, t->comm, &requests[0]);
  MPI_Isend(c->sent, c->count, MPI_INT, (rank + 1) % size, 5, t->comm, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  expect(t, "message", round, c->received, c->expected, c->count);
}

/// Each rank puts to the next one, to which then all add.
static void window(struct thread* t, int round) {
  struct call* const c = &t->calls[0];
  c->count = any_count(t);
  c->round = round;
  fill(t, c, c->count);
  MPI_Win_fence(0, t->win);
  MPI_Put(c->sent, c->count, MPI_INT, (rank + 1) % size, 0, c->count, MPI_INT, t->win);
  MPI_Win_fence(0, t->win);
  const int ahead = (int)below(t, 3);
  MPI_Accumulate(c->sent, c->count, MPI_INT, (rank + ahead) % size, 0, c->count, MPI_INT, MPI_SUM, t->win);
  MPI_Win_fence(0, t->win);
  memory_read(t->host, t->window, (size_t)c->count * sizeof(int));
  for (int i = 0; i < c->count; ++i) {
    if (t->host[i] !=
        value(t, c, (rank + size - 1) % size, i) + value(t, c, (rank + 2 * size - ahead) % size, i))
      wrong(t, "accumulate", round);
  }
}

static void file(struct thread* t, int round) {
  struct call* const c = &t->calls[0];
  c->count = any_count(t);
  c->round = round;
  fill(t, c, c->count);
  take(t, c, 0, rank, 0, c->count);
  const MPI_Offset place = (MPI_Offset)rank * most * (MPI_Offset)sizeof(int);
  MPI_File_write_at_all(t->file, place, c->sent, c->count, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_read_at_all(t->file, place, c->received, c->count, MPI_INT, MPI_STATUS_IGNORE);
  expect(t, "file", round, c->received, c->expected, c->count);
}

static void* run(void* data) {
  struct thread* const t = data;
  const double end = MPI_Wtime() + seconds;
  for (int go_on = 1, round = 0; go_on; ++round) {
    const unsigned what = below(t, 8);
    if (what == 0)
      messages(t, round);
    else if (what == 1)
      window(t, round);
    else if (what == 2 && t->number == 0)
      file(t, round);  // MPICH's ROMIO holds a lock for all files while it waits for other ranks
    else
      collectives(t, round);
    if (round % rounds_between_looks != 0) continue;
    go_on = MPI_Wtime() < end;
    MPI_Allreduce(MPI_IN_PLACE, &go_on, 1, MPI_INT, MPI_MIN, t->comm);
  }
  return NULL;
}

static void open_thread(struct thread* t, int number, unsigned seed) {
  const int periodic = 1;
  const size_t bytes = (size_t)most_ranks * (most + 1) * sizeof(int);
  char path[80];
  t->number = number;
  t->state = seed + 977u * (unsigned)number;
  MPI_Comm_dup(MPI_COMM_WORLD, &t->comm);
  MPI_Cart_create(t->comm, 1, &size, &periodic, 0, &t->ring);
  t->window = memory_get(most * sizeof(int));
  t->host = malloc(bytes);
  for (int i = 0; i < calls_at_once; ++i) {
    t->calls[i].sent = memory_get(bytes);
    t->calls[i].received = memory_get(bytes);
    t->calls[i].expected = malloc(bytes);
  }
  MPI_Win_create(t->window, most * sizeof(int), sizeof(int), MPI_INFO_NULL, t->comm, &t->win);
  int process = (int)getpid();
  MPI_Bcast(&process, 1, MPI_INT, 0, t->comm);
  snprintf(path, sizeof path, "/dev/shm/typewarp-storm-%d-%d", process, number);
  if (MPI_File_open(t->comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                    &t->file) != MPI_SUCCESS)
    wrong(t, "file_open", 0);
}

static void close_thread(struct thread* t) {
  MPI_File_close(&t->file);
  MPI_Win_free(&t->win);
  MPI_Comm_free(&t->ring);
  MPI_Comm_free(&t->comm);
  for (int i = 0; i < calls_at_once; ++i) {
    memory_free(t->calls[i].sent);
    memory_free(t->calls[i].received);
    free(t->calls[i].expected);
  }
  memory_free(t->window);
  free(t->host);
}

static long bytes_resident(void) {
  long pages = 0, resident = 0;
  FILE* const statm = fopen("/proc/self/statm", "r");
  if (statm != NULL && fscanf(statm, "%ld %ld", &pages, &resident) != 2) resident = 0;
  if (statm != NULL) fclose(statm);
  return resident * sysconf(_SC_PAGESIZE);
}

/// In all threads for half of the time.
static void run_all(struct thread* all) {
  pthread_t made[threads];
  for (int i = 0; i < threads; ++i) pthread_create(&made[i], NULL, run, &all[i]);
  for (int i = 0; i < threads; ++i) pthread_join(made[i], NULL);
}

int main(int argc, char** argv) {
  static struct thread all[threads];
  int granted;
  if (argc < 2) return 2;
  if (argc > 2) seconds = atof(argv[2]) / 2;
  memory_kind(argv[1]);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &granted);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (granted != MPI_THREAD_MULTIPLE || size > most_ranks) {
    fprintf(stderr, "skipped: needs MPI_THREAD_MULTIPLE and %d ranks at most\n", most_ranks);
    return 77;
  }
  memory_device(rank);
  for (int i = 0; i < threads; ++i) open_thread(&all[i], i, argc > 3 ? (unsigned)atoi(argv[3]) : 1u);
  run_all(all);
  const long before = bytes_resident();
  run_all(all);
  const long growth = bytes_resident() - before;
  for (int i = 0; i < threads; ++i) close_thread(&all[i]);
  if (growth > allowed_growth) {
    fprintf(stderr, "rank %d: memory grew by %ld bytes\n", rank, growth);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (rank == 0) printf("all is right\n");
  MPI_Finalize();
  return 0;
}
