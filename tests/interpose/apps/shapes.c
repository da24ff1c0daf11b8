// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// usage: shapes <kind of memory> <shape>: programs of shapes that have once not ended, or have taken far
// longer than without the library.
#include "../common/memory.h"
#include "../common/report.h"

#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { threads = 4, tag = 5 };
static int rank, size;

/// All to all of them before anything is received.
static void flood(void) {
  enum { each = 200, bytes = 1000 };
  MPI_Request* const requests = malloc(sizeof(MPI_Request) * each * (size_t)size);
  char* const memory = memory_get(2 * bytes);
  for (int i = 0; i < each * size; ++i)
    MPI_Isend(memory, bytes, MPI_CHAR, i % size, i / size, MPI_COMM_WORLD, &requests[i]);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < each * size; ++i)
    MPI_Recv(memory + bytes, bytes, MPI_CHAR, i % size, i / size, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < each * size; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  memory_free(memory);
  free(requests);
}

/// Wrong by MPI's letter, and what bandwidth tests do.
static void one_buffer(void) {
  enum { rounds = 60, window = 8, bytes = 1 << 16 };
  char* const memory = memory_get(bytes);
  MPI_Request requests[window];
  for (int i = 0; i < rounds; ++i) {
    for (int k = 0; k < window; ++k) {
      if (rank == 0) MPI_Isend(memory, bytes, MPI_CHAR, 1, tag, MPI_COMM_WORLD, &requests[k]);
      if (rank == 1) MPI_Irecv(memory, bytes, MPI_CHAR, 0, tag, MPI_COMM_WORLD, &requests[k]);
    }
    if (rank < 2) MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
  }
  // With tags of which the last comes first.
  for (int k = 0; k < window; ++k) {
    if (rank == 1) MPI_Irecv(memory, bytes, MPI_CHAR, 0, k, MPI_COMM_WORLD, &requests[k]);
  }
  for (int k = window - 1; k >= 0; --k) {
    if (rank == 0) MPI_Ssend(memory, bytes, MPI_CHAR, 1, k, MPI_COMM_WORLD);
    if (rank == 1) MPI_Wait(&requests[k], MPI_STATUS_IGNORE);
  }
  memory_free(memory);
}

static void* send_by_thread(void* number) {
  enum { rounds = 20, window = 8, bytes = 3000 };
  const int own = (int)(size_t)number, peer = rank ^ 1;
  char* const memory = memory_get(2 * window * bytes);
  MPI_Request requests[2 * window];
  for (int i = 0; i < rounds && peer < size; ++i) {
    for (int k = 0; k < window; ++k)
      MPI_Isend(memory + k * bytes, bytes, MPI_CHAR, peer, own, MPI_COMM_WORLD, &requests[k]);
    for (int k = window; k < 2 * window; ++k)
      MPI_Irecv(memory + k * bytes, bytes, MPI_CHAR, peer, own, MPI_COMM_WORLD, &requests[k]);
    MPI_Waitall(2 * window, requests, MPI_STATUSES_IGNORE);
  }
  memory_free(memory);
  return NULL;
}

static void* send_much_by_thread(void* number) {
  enum { rounds = 3, bytes = 4 << 20 };
  const int own = (int)(size_t)number, peer = rank ^ 1;
  char* const memory = memory_get(bytes);
  for (int i = 0; i < rounds && peer < size; ++i) {
    if (rank % 2 == 0) MPI_Ssend(memory, bytes, MPI_CHAR, peer, own, MPI_COMM_WORLD);
    if (rank % 2 == 1) MPI_Recv(memory, bytes, MPI_CHAR, peer, own, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  memory_free(memory);
  return NULL;
}

static void* match_by_thread(void* number) {
  enum { rounds = 30, bytes = 40000 };
  const int own = (int)(size_t)number, peer = rank ^ 1;
  char* const memory = memory_get(2 * bytes);
  MPI_Request request;
  MPI_Message message;
  for (int i = 0; i < rounds && peer < size; ++i) {
    MPI_Isend(memory, bytes, MPI_CHAR, peer, own, MPI_COMM_WORLD, &request);
    for (int found = 0; !found;) MPI_Improbe(peer, own, MPI_COMM_WORLD, &found, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(memory + bytes, bytes, MPI_CHAR, &message, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  memory_free(memory);
  return NULL;
}

static MPI_Win shared_window;

/// One receives, by the odd calls with a request, and the others synchronise the window meanwhile.
static void* look_by_thread(void* number) {
  enum { rounds = 500, ints = 200 };
  const int peer = rank ^ 1;
  if (peer >= size) return NULL;
  int host[2 * ints], wrong = 0;
  if ((int)(size_t)number != 0) {
    for (int i = 0; i < rounds; ++i) {
      if (i % 2 == 0) MPI_Win_flush_local_all(shared_window);
      if (i % 2 == 1) MPI_Win_flush(peer, shared_window);
    }
    return NULL;
  }
  MPI_Datatype spread;
  MPI_Type_vector(ints, 1, 2, MPI_INT, &spread);
  MPI_Type_commit(&spread);
  int* const memory = memory_get(sizeof host);
  for (int i = 0; i < rounds; ++i) {
    memset(host, 0, sizeof host);
    memory_write(memory, host, sizeof host);
    if (i % 2 == 0) {
      MPI_Get(memory, 1, spread, peer, 0, ints, MPI_INT, shared_window);
      MPI_Win_flush_local(peer, shared_window);
    } else {
      MPI_Request request;
      MPI_Rget(memory, 1, spread, peer, 0, ints, MPI_INT, shared_window, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    memory_read(host, memory, sizeof host);
    for (int k = 0; k < ints; ++k) wrong += host[2 * k] != 1000 * peer + k || host[2 * k + 1] != 0;
  }
  memory_free(memory);
  MPI_Type_free(&spread);
  report("wrong: %d", wrong);
  return NULL;
}

static void by_threads(void* (*act)(void*)) {
  pthread_t started[threads];
  for (size_t i = 0; i < threads; ++i) pthread_create(&started[i], NULL, act, (void*)i);
  for (int i = 0; i < threads; ++i) pthread_join(started[i], NULL);
}
static void sends_by_threads(void) { by_threads(send_by_thread); }
static void long_sends_by_threads(void) { by_threads(send_much_by_thread); }
static void matches_by_threads(void) { by_threads(match_by_thread); }
static void windows_by_threads(void) {
  enum { ints = 200 };
  int* base;
  MPI_Win_allocate(ints * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &shared_window);
  for (int k = 0; k < ints; ++k) base[k] = 1000 * rank + k;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, shared_window);
  by_threads(look_by_thread);
  MPI_Win_unlock_all(shared_window);
  MPI_Win_free(&shared_window);
}

#if MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5
static struct {
  MPI_Request send, receive;
  char *sent, *received;
  int wrong;
} parts;
enum { part_ints = 4000 };  // of which every second one is sent

/// Each makes a partition of its own ready, and asks for one.
static void* move_partition(void* number) {
  const size_t own = (size_t)number, bytes = part_ints * sizeof(int);
  memory_device(rank);
  int* const host = malloc(bytes);
  for (int i = 0; i < part_ints; ++i) host[i] = 100000 * rank + (int)own * part_ints + i;
  memory_write(parts.sent + own * bytes, host, bytes);
  MPI_Pready((int)own, parts.send);
  for (int arrived = 0; !arrived; sched_yield()) MPI_Parrived(parts.receive, (int)own, &arrived);
  memory_read(host, parts.received + own * bytes, bytes);
  int wrong = 0;
  for (int i = 0; i < part_ints; ++i)
    wrong += host[i] != (i % 2 == 0 ? 100000 * (rank ^ 1) + (int)own * part_ints + i : -1);
  __atomic_fetch_add(&parts.wrong, wrong, __ATOMIC_RELAXED);
  free(host);
  return NULL;
}

static void partitions_by_threads(void) {
  enum { rounds = 30 };
  const size_t bytes = threads * part_ints * sizeof(int);
  const int peer = rank ^ 1, count = part_ints / 2;
  int* const nothing = malloc(bytes);
  MPI_Datatype pair;
  MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &pair);
  MPI_Type_commit(&pair);
  memset(nothing, -1, bytes);
  parts.sent = memory_get(bytes);
  parts.received = memory_get(bytes);
  MPI_Psend_init(parts.sent, threads, count, pair, peer, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &parts.send);
  MPI_Precv_init(parts.received, threads, count, pair, peer, tag, MPI_COMM_WORLD, MPI_INFO_NULL,
                 &parts.receive);
  for (int i = 0; i < rounds; ++i) {
    memory_write(parts.received, nothing, bytes);
    MPI_Start(&parts.receive);
    MPI_Start(&parts.send);
    by_threads(move_partition);
    MPI_Wait(&parts.send, MPI_STATUS_IGNORE);
    MPI_Wait(&parts.receive, MPI_STATUS_IGNORE);
  }
  report("wrong: %d", parts.wrong);
  MPI_Request_free(&parts.send);
  MPI_Request_free(&parts.receive);
  MPI_Type_free(&pair);
  memory_free(parts.sent);
  memory_free(parts.received);
  free(nothing);
}
#else
static void partitions_by_threads(void) {}
#endif

/// Duplicates in the making, nonblocking collective calls and messages.
static void many_communicators(void) {
  enum { rounds = 10, comms = 8, each = 4 };
#ifdef OPEN_MPI  // with two pending of a communicator it may give one several identities: ompi#2025
  enum { pending = 1 };
#else
  enum { pending = comms };
#endif
  int* const memory = memory_get(sizeof(int) * 2 * comms);
  for (int i = 0; i < rounds; ++i) {
    MPI_Comm made[comms];
    MPI_Request requests[comms * each];
    int n = 0, own[comms], sum[comms];
    for (int k = 0; k < comms; k += pending) {
      for (int d = 0; d < pending; ++d) MPI_Comm_idup(MPI_COMM_WORLD, &made[k + d], &requests[d]);
      MPI_Waitall(pending, requests, MPI_STATUSES_IGNORE);
    }
    for (int k = 0; k < comms; ++k) {
      own[k] = rank;
      MPI_Iallreduce(&own[k], &sum[k], 1, MPI_INT, MPI_SUM, made[k], &requests[n++]);
      MPI_Irecv(memory + k, 1, MPI_INT, (rank + size - 1) % size, k, made[k], &requests[n++]);
      MPI_Isend(memory + comms + k, 1, MPI_INT, (rank + 1) % size, k, made[k], &requests[n++]);
      MPI_Ibarrier(made[k], &requests[n++]);
    }
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    for (int k = 0; k < comms; ++k) {
      if (sum[k] != size * (size - 1) / 2) report("wrong sum %d", sum[k]);
      MPI_Comm_free(&made[k]);
    }
  }
  memory_free(memory);
}

/// One after the other, often by one handle: of all ranks, and of each rank alone, which makes calls of its
/// own number. What is known of one must not be thought of the next.
static void exchanges_in_turn(void) {
  enum { rounds = 100, most = 8 };
  int ones[most], places[most], wrong = 0;
  for (int k = 0; k < most; ++k) ones[k] = 1, places[k] = k;
  int* const memory = memory_get(sizeof(int) * 2 * most);
  for (int i = 0; i < rounds; ++i) {
    MPI_Comm made;
    int own, all, host[2 * most] = {0};
    MPI_Comm_split(MPI_COMM_WORLD, i % 2 == 0 ? 0 : rank, rank, &made);
    MPI_Comm_rank(made, &own);
    MPI_Comm_size(made, &all);
    for (int call = all > 1 ? 0 : -rank; call < 3; ++call) {
      for (int k = 0; k < all; ++k) host[k] = 100 * own + k, host[most + k] = -1;
      memory_write(memory, host, sizeof host);
      MPI_Alltoallv(memory, ones, places, MPI_INT, memory + most, ones, places, MPI_INT, made);
      memory_read(host, memory, sizeof host);
      for (int k = 0; k < all; ++k) wrong += host[most + k] != 100 * k + own;
    }
    MPI_Comm_free(&made);
  }
  report("wrong: %d", wrong);
  memory_free(memory);
}

/// Of a derived datatype that no call has used before.
static void long_blocks(void) {
  enum { bytes = 1 << 16, most = 8 };
  char* const memory = memory_get(2 * bytes * (size_t)size);
  char* const received = memory + bytes * size;
  char *const sent = malloc(bytes), *const arrived = malloc(bytes);
  int counts[most], places[most];
  MPI_Datatype types[most];
  MPI_Type_contiguous(bytes, MPI_CHAR, &types[0]);
  MPI_Type_commit(&types[0]);
  for (int i = 0; i < size; ++i) {
    counts[i] = 1;
    places[i] = i * bytes;
    types[i] = types[0];
    memset(sent, 1 + rank * size + i, bytes);
    memory_write(memory + places[i], sent, bytes);
  }
  MPI_Alltoallw(memory, counts, places, types, received, counts, places, types, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) {
    memory_read(arrived, received + places[i], bytes);
    memset(sent, 1 + i * size + rank, bytes);
    report("block of %d: %s", i, memcmp(arrived, sent, bytes) == 0 ? "right" : "wrong");
  }
  MPI_Type_free(&types[0]);
  free(arrived);
  free(sent);
  memory_free(memory);
}

/// What was freed while it was active completes at the latest in MPI_Finalize: the peer waits for it.
static void freed(void) {
  enum { ints = 5000 };
  int* const memory = memory_get(2 * ints * sizeof(int));
  MPI_Datatype type;
  MPI_Request request;
  MPI_Type_vector(ints / 2, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  if (rank == 0) {
    MPI_Irecv(memory, 1, type, 1, 1, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    MPI_Isend(memory + ints, 1, type, 1, 2, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
  } else if (rank == 1) {
    usleep(200000);  // rank 0 is in MPI_Finalize
    MPI_Ssend(memory, 1, type, 0, 1, MPI_COMM_WORLD);
    usleep(200000);
    MPI_Recv(memory, 1, type, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Type_free(&type);
}

static const struct {
  const char* name;
  void (*run)(void);
} shapes[] = {{"flood", flood},
              {"one_buffer", one_buffer},
              {"long_blocks", long_blocks},
              {"sends_by_threads", sends_by_threads},
              {"long_sends_by_threads", long_sends_by_threads},
              {"matches_by_threads", matches_by_threads},
              {"windows_by_threads", windows_by_threads},
              {"partitions_by_threads", partitions_by_threads},
              {"many_communicators", many_communicators},
              {"exchanges_in_turn", exchanges_in_turn}};

int main(int argc, char** argv) {
  int granted;
  if (argc < 3) return 2;
  memory_kind(argv[1]);
  const int of_threads = strstr(argv[2], "threads") != NULL;
  MPI_Init_thread(&argc, &argv, of_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &granted);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  memory_device(rank);
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
    if (strcmp(shapes[i].name, argv[2]) != 0) continue;
    shapes[i].run();
  }
  report("%s has ended", argv[2]);
  report_all();
  if (strcmp(argv[2], "freed") == 0) freed();
  MPI_Finalize();
  return 0;
}
