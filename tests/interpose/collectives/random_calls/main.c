// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// usage: random_calls <kind of memory> [seconds=5] [seed=1] [threads=2] [most=16777216] [alone] [aloud]
// Random collective calls from several threads of each rank, each with communicators of its own that come and
// go: all moves and reductions, blocking, nonblocking and persistent, several under way at once, in place, of
// random datatypes, up to `most` bytes, in memory of all kinds; many come again with the same arguments.
// Every byte of all buffers is checked, gaps and guards too. Fails if memory grew from the second quarter of
// the time to the last one; that of the device counts where nobody else uses it, which "alone" says. "aloud"
// writes each call to stderr before it is made, which shows where a rank waits.
#include "call.h"

#include "../../common/memory.h"

#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_threads = 8, slots = 8, calls_at_once = 4, quarters = 4, rounds_between_looks = 10 };
// Of the host, what tests/interpose/apps/soak.c lets grow, and what ranks keep of each other; of the device
// the same for each rank.
static const long allowed_growth = (24L + 64L) << 20;

static int rank, size, threads = 2, alone, aloud;
static long most = 16L << 20;
static double seconds = 5;
static unsigned seed = 1;

struct thread {
  int number, quarter;
  long rounds, calls;  ///< of all quarters
  MPI_Comm comm;
  struct draw draw;  ///< alike in all ranks
  struct group groups[topologies];
  struct call calls_made[slots];
};

static void drop_calls_of(struct thread* t, const struct group* group) {
  for (int i = 0; i < slots; ++i) {
    if (t->calls_made[i].group == group) call_free(&t->calls_made[i]);
  }
}

static void make_group(struct thread* t, int i) {
  const MPI_Comm parent = i == copy ? t->groups[split].comm : t->comm;
  t->groups[i] = group_drawn(&t->draw, (enum topology)i, parent);
}

static void renew_group(struct thread* t) {
  const int i = below(&t->draw, topologies);
  drop_calls_of(t, &t->groups[i]);
  group_free(&t->groups[i]);
  make_group(t, i);
}

static void draw_call(struct thread* t, struct call* call) {
  const enum kind kind = (enum kind)below(&t->draw, kinds);
  const int which =
      is_of_neighbours(kind) ? (one_in(&t->draw, 2) ? grid : graph) : below(&t->draw, topologies);
  call_free(call);
  call_draw(call, &t->draw, &t->groups[which], kind, most);
}

/// In any order, which ranks need not have in common.
static void complete(struct draw* own, struct call** calls, int n) {
  MPI_Request *requests[calls_at_once], all[calls_at_once];
  int flag = 0, left = n;
  for (int i = 0; i < n; ++i) {
    const int other = below(own, i + 1);
    requests[i] = requests[other];
    requests[other] = &calls[i]->request;
  }
  switch (below(own, 4)) {
    case 0:
      for (int i = 0; i < n; ++i) all[i] = *requests[i];
      MPI_Waitall(n, all, MPI_STATUSES_IGNORE);
      for (int i = 0; i < n; ++i) *requests[i] = all[i];
      break;
    case 1:
      for (int i = 0; i < n; ++i) all[i] = *requests[i];
      for (int index = 0; left > 0 && index != MPI_UNDEFINED; --left)
        MPI_Waitany(n, all, &index, MPI_STATUS_IGNORE);
      for (int i = 0; i < n; ++i) *requests[i] = all[i];
      break;
    case 2:
      for (int i = 0; i < n; ++i) MPI_Wait(requests[i], MPI_STATUS_IGNORE);
      break;
    default:
      for (int i = 0; i < n; ++i, flag = 0)
        while (!flag) MPI_Test(requests[i], &flag, MPI_STATUS_IGNORE);
  }
}

static void one_round(struct thread* t) {
  const int n = 1 + below(&t->draw, calls_at_once), first = below(&t->draw, slots);
  struct call* calls[calls_at_once];
  char when[100];
  snprintf(when, sizeof when, "seed %u, quarter %d, thread %d, round %ld", seed, t->quarter, t->number,
           t->rounds);
  if (one_in(&t->draw, 20)) renew_group(t);
  for (int i = 0; i < n; ++i) {
    calls[i] = &t->calls_made[(first + i) % slots];
    if (!calls[i]->is_made || one_in(&t->draw, 6)) draw_call(t, calls[i]);
    call_fill(calls[i], drawn(&t->draw));
  }
  for (int i = 0; i < n; ++i) {
    if (aloud) call_tell(calls[i], when);
    call_start(calls[i]);
  }
  struct draw own = {mixed(t->draw.state, (uint64_t)rank + 1)};
  complete(&own, calls, n);
  for (int i = 0; i < n; ++i) call_check(calls[i], when);
  t->calls += n;
}

/// Begins anew and drops everything, so that memory which is left is the library's, or the MPI's.
static void* one_quarter(void* data) {
  struct thread* const t = data;
  const double end = MPI_Wtime() + seconds / quarters;
  t->draw.state = mixed(mixed(seed, (uint64_t)t->number), (uint64_t)t->quarter);
  for (int i = 0; i < topologies; ++i) make_group(t, i);
  for (int go_on = 1; go_on; ++t->rounds) {
    one_round(t);
    if (t->rounds % rounds_between_looks != 0) continue;
    go_on = MPI_Wtime() < end;
    MPI_Allreduce(MPI_IN_PLACE, &go_on, 1, MPI_INT, MPI_MIN, t->comm);
  }
  for (int i = 0; i < slots; ++i) call_free(&t->calls_made[i]);
  for (int i = topologies; i-- > 0;) group_free(&t->groups[i]);
  return NULL;
}

/// Bytes of this process in memory.
static long resident(void) {
  char line[200];
  long kilobytes = 0;
  FILE* const status = fopen("/proc/self/status", "r");
  malloc_trim(0);
  while (status != NULL && fgets(line, sizeof line, status) != NULL) sscanf(line, "VmRSS: %ld", &kilobytes);
  if (status != NULL) fclose(status);
  return kilobytes * 1024;
}

enum { memory_kinds = 2 };
static void look(long* seen) {
  MPI_Barrier(MPI_COMM_WORLD);
  seen[0] = resident();
  seen[1] = (long)memory_of_device();
  MPI_Barrier(MPI_COMM_WORLD);
}

/// The most in any rank; whether it is too much.
static int grew(long (*seen)[memory_kinds]) {
  long all[quarters][memory_kinds], growth[memory_kinds], most_growth[memory_kinds];
  for (int i = 0; i < memory_kinds; ++i) growth[i] = seen[quarters - 1][i] - seen[1][i];
  MPI_Reduce(growth, most_growth, memory_kinds, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(seen, all, quarters * memory_kinds, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank != 0) return 0;
  fprintf(stderr, "the most of a rank and of a device after each quarter, MiB:");
  for (int i = 0; i < quarters; ++i) fprintf(stderr, " %ld + %ld", all[i][0] >> 20, all[i][1] >> 20);
  fprintf(stderr, "; grew by %ld + %ld KiB\n", most_growth[0] / 1024, most_growth[1] / 1024);
  return most_growth[0] > allowed_growth || (alone && most_growth[1] > size * allowed_growth);
}

static void read_options(int argc, char** argv) {
  for (int i = 2; i < argc; ++i) {
    if (sscanf(argv[i], "seconds=%lf", &seconds) == 1 || sscanf(argv[i], "seed=%u", &seed) == 1 ||
        sscanf(argv[i], "threads=%d", &threads) == 1 || sscanf(argv[i], "most=%ld", &most) == 1)
      continue;
    if (strcmp(argv[i], "alone") == 0)
      alone = 1;
    else if (strcmp(argv[i], "aloud") == 0)
      aloud = 1;
    else
      exit(2);
  }
  if (threads < 1 || threads > most_threads || most < 1) exit(2);
}

/// Open MPI 5 loads its topologies with the first communicator of one, and not safely when two threads make it: the
/// call may then return an error that no handler sees (mca_topo_base_lazy_init).
static void load_topologies(void) {
  const int one = 1, open_ended = 0;
  MPI_Comm line;
  MPI_Cart_create(MPI_COMM_SELF, 1, &one, &open_ended, 0, &line);
  MPI_Comm_free(&line);
}

int main(int argc, char** argv) {
  static struct thread all[most_threads];
  static long seen[quarters][memory_kinds];
  pthread_t made[most_threads];
  int granted;
  if (argc < 2) return 2;
  read_options(argc, argv);
  memory_kind(argv[1]);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &granted);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if ((threads > 1 && granted != MPI_THREAD_MULTIPLE) || size > most_ranks) {
    fprintf(stderr, "skipped: needs MPI_THREAD_MULTIPLE and %d ranks at most\n", most_ranks);
    return 77;
  }
  memory_device(rank);
  numbers_init();
  load_topologies();
  for (int i = 0; i < threads; ++i) all[i].number = i, MPI_Comm_dup(MPI_COMM_WORLD, &all[i].comm);
  for (int quarter = 0; quarter < quarters; ++quarter) {
    for (int i = 0; i < threads; ++i)
      all[i].quarter = quarter, pthread_create(&made[i], NULL, one_quarter, &all[i]);
    for (int i = 0; i < threads; ++i) pthread_join(made[i], NULL);
    look(seen[quarter]);
  }
  long calls = 0;
  for (int i = 0; i < threads; ++i) calls += all[i].calls, MPI_Comm_free(&all[i].comm);
  numbers_finalize();
  if (rank == 0) fprintf(stderr, "%ld calls\n", calls);
  if (grew(seen)) MPI_Abort(MPI_COMM_WORLD, 1);
  if (rank == 0) printf("every byte was right\n");
  MPI_Finalize();
  return 0;
}
