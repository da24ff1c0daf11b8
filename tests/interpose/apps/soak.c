// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// usage: soak <kind of memory> [seconds [seed [alone]]]
// Random messages between all ranks: any sizes, layouts that differ on both sides, tags, ways to send and to
// complete. Each byte of each message is checked, and each byte between. Fails if memory grew: from the
// second quarter of the time to the last one, since what is kept for reuse takes a while to gather. That of a
// device counts where nobody else uses it, which "alone" says. It rises and falls by what the library lets
// gather before it frees it, so the highest of each quarter counts.
#include "../common/memory.h"

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { round_messages = 24, most_bytes = 1 << 17, least_rounds = 400, rounds_between_looks = 20 };
enum { memory_kinds = 2, quarters = 4 };
// Bytes, of what allocators keep for other sizes than before.
static const long allowed_growth = 24L << 20;
// Bytes that a rank keeps at the most: of plans of other ranks (docs/internals/memory.md), and on its device of
// plans that are gone (engine.hpp). They still gather in the second quarter where that begins early: a rank
// keeps some 30 KiB a round.
static const long kept = 64L << 20;
static const long rounds_that_fill = 2200;

static uint64_t state;  // the same on all ranks

static unsigned below(unsigned n) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(state >> 33) % n;
}

/// Blocks of bytes, of which the type is made.
struct layout {
  int n, *lengths, *starts, span;
  MPI_Datatype type;
};

static struct layout layout_of(int bytes) {
  const int regular = (int)below(2), block = 1 + (int)below(64), gap = (int)below(40);
  struct layout layout = {0, malloc(((size_t)bytes + 1) * sizeof(int)),
                          malloc(((size_t)bytes + 1) * sizeof(int)), 0, MPI_DATATYPE_NULL};
  for (int left = bytes; left > 0; ++layout.n) {
    const int wanted = regular ? block : 1 + (int)below((unsigned)block * 2);
    const int length = wanted < left ? wanted : left;
    layout.lengths[layout.n] = length;
    layout.starts[layout.n] = layout.span + gap;
    layout.span += gap + length;
    left -= length;
  }
  layout.span += 16;
  if (regular && bytes % block == 0) {
    MPI_Datatype vector;
    MPI_Aint start = gap;
    const int one = 1;
    MPI_Type_vector(layout.n, block, block + gap, MPI_BYTE, &vector);
    MPI_Type_create_hindexed(1, &one, &start, vector, &layout.type);
    MPI_Type_free(&vector);
  } else {
    MPI_Type_indexed(layout.n, layout.lengths, layout.starts, MPI_BYTE, &layout.type);
  }
  MPI_Type_commit(&layout.type);
  return layout;
}

static void layout_free(struct layout* layout) {
  MPI_Type_free(&layout->type);
  free(layout->starts);
  free(layout->lengths);
}

struct message {
  int from, to, tag, synchronous;
  unsigned char seed;
  struct layout sent, received;
  void *send_memory, *receive_memory;
};

static unsigned char byte_of(const struct message* message, int i) {
  return (unsigned char)(message->seed + i * 7 + i / 253);
}
static unsigned char between(int i) { return (unsigned char)(i * 13 + 5); }

/// What the memory of one side holds with the message in it.
static unsigned char* image_of(const struct message* message, const struct layout* layout, int with_message) {
  unsigned char* image = malloc((size_t)layout->span);
  int at = 0;
  for (int i = 0; i < layout->span; ++i) image[i] = between(i);
  for (int block = 0; with_message && block < layout->n; ++block) {
    for (int i = 0; i < layout->lengths[block]; ++i)
      image[layout->starts[block] + i] = byte_of(message, at++);
  }
  return image;
}

static void* memory_with(const struct message* message, const struct layout* layout, int with_message) {
  unsigned char* image = image_of(message, layout, with_message);
  void* memory = memory_get((size_t)layout->span);
  memory_write(memory, image, (size_t)layout->span);
  free(image);
  return memory;
}

static void check(const struct message* message, unsigned seed, long round) {
  unsigned char *right = image_of(message, &message->received, 1),
                *seen = malloc((size_t)message->received.span);
  memory_read(seen, message->receive_memory, (size_t)message->received.span);
  if (memcmp(right, seen, (size_t)message->received.span) != 0) {
    fprintf(stderr, "seed %u, round %ld: a message from %d to %d is wrong\n", seed, round, message->from,
            message->to);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  free(seen);
  free(right);
}

static void start(const struct message* message, MPI_Request* request) {
  void* buf = message->send_memory;
  const MPI_Datatype type = message->sent.type;
  if (message->synchronous) {
    MPI_Issend(buf, 1, type, message->to, message->tag, MPI_COMM_WORLD, request);
  } else {
    MPI_Isend(buf, 1, type, message->to, message->tag, MPI_COMM_WORLD, request);
  }
}

static void complete(int n, MPI_Request* requests, unsigned form) {
  int left = n, index = 0, flag = 0;
  if (form == 0) MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
  while (form == 1 && left-- > 0) MPI_Waitany(n, requests, &index, MPI_STATUS_IGNORE);
  while (form == 2 && !flag) MPI_Testall(n, requests, &flag, MPI_STATUSES_IGNORE);
  for (int i = 0; form == 3 && i < n; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
}

static void one_round(int rank, int ranks, unsigned seed, long round) {
  struct message messages[round_messages];
  MPI_Request requests[2 * round_messages];
  int n = 0;
  for (int i = 0; i < round_messages; ++i) {
    struct message* message = &messages[i];
    const unsigned most = below(4) == 0 ? most_bytes : 700;
    const int bytes = (int)below(most);
    message->from = (int)below((unsigned)ranks);
    message->to = (message->from + 1 + (int)below((unsigned)ranks)) % ranks;
    message->tag = (int)below(4);
    message->synchronous = below(4) == 0;
    message->seed = (unsigned char)below(256);
    message->sent = layout_of(bytes);
    message->received = layout_of(bytes);
    if (message->to == rank) {
      message->receive_memory = memory_with(message, &message->received, 0);
      MPI_Irecv(message->receive_memory, 1, message->received.type, message->from, message->tag,
                MPI_COMM_WORLD, &requests[n++]);
    }
  }
  const unsigned form = below(4);
  for (int i = 0; i < round_messages; ++i) {
    if (messages[i].from != rank) continue;
    messages[i].send_memory = memory_with(&messages[i], &messages[i].sent, 1);
    start(&messages[i], &requests[n++]);
  }
  complete(n, requests, form);
  for (int i = 0; i < round_messages; ++i) {
    struct message* message = &messages[i];
    if (message->to == rank) check(message, seed, round), memory_free(message->receive_memory);
    if (message->from == rank) memory_free(message->send_memory);
    layout_free(&message->sent);
    layout_free(&message->received);
  }
}

/// Bytes of this process in memory.
static long resident(void) {
  char line[200];
  long kilobytes = 0;
  FILE* status = fopen("/proc/self/status", "r");
  while (status != NULL && fgets(line, sizeof line, status) != NULL) sscanf(line, "VmRSS: %ld", &kilobytes);
  if (status != NULL) fclose(status);
  return kilobytes * 1024;
}

/// The most that has been seen in each quarter.
struct memory {
  long most[quarters][memory_kinds];
};

static void look(struct memory* memory, double part) {
  long* most = memory->most[part < 1 ? (int)(part * quarters) : quarters - 1];
  const long seen[memory_kinds] = {resident(), (long)memory_of_device()};
  for (int i = 0; i < memory_kinds; ++i) most[i] = seen[i] > most[i] ? seen[i] : most[i];
}

static void tell_quarters(const struct memory* memory) {
  fprintf(stderr, "the most of this rank and its device in each quarter, MiB:");
  for (int i = 0; i < quarters; ++i)
    fprintf(stderr, " %ld + %ld", memory->most[i][0] >> 20, memory->most[i][1] >> 20);
  fprintf(stderr, "\n");
}

/// Of all ranks; whether it is too much.
static int grew(const struct memory* memory, int rank, int ranks, long rounds, int alone) {
  long growth[memory_kinds], most[memory_kinds];
  for (int i = 0; i < memory_kinds; ++i) growth[i] = memory->most[quarters - 1][i] - memory->most[1][i];
  MPI_Reduce(growth, most, memory_kinds, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank != 0) return 0;
  tell_quarters(memory);
  fprintf(stderr, "memory grew by %ld KiB, that of the device by %ld KiB\n", most[0] / 1024, most[1] / 1024);
  const long still = rounds / quarters < rounds_that_fill ? kept : 0;
  return most[0] > allowed_growth + still || (alone && most[1] > allowed_growth + ranks * still);
}

int main(int argc, char** argv) {
  int rank = 0, ranks = 0;
  if (argc < 2 || (argc > 4 && strcmp(argv[4], "alone") != 0)) return 2;
  const double seconds = argc > 2 ? atof(argv[2]) : 5;
  const unsigned seed = argc > 3 ? (unsigned)atol(argv[3]) : 1;
  const int alone = argc > 4;
  long rounds = 0;
  double part = 0;  // of the whole, by time or by rounds, whichever is behind
  struct memory memory = {{{0}}};
  memory_kind(argv[1]);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  memory_device(rank);
  state = seed;
  const double start = MPI_Wtime();
  while (part < 1) {
    one_round(rank, ranks, seed, rounds);
    if (++rounds % rounds_between_looks != 0) continue;
    const double by_time = (MPI_Wtime() - start) / seconds, by_rounds = (double)rounds / least_rounds;
    part = by_time < by_rounds ? by_time : by_rounds;
    MPI_Bcast(&part, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    look(&memory, part);
  }
  if (rank == 0) fprintf(stderr, "%ld rounds of %d messages\n", rounds, round_messages);
  if (grew(&memory, rank, ranks, rounds, alone)) MPI_Abort(MPI_COMM_WORLD, 1);
  if (rank == 0) printf("every byte was right\n");
  MPI_Finalize();
  return 0;
}
