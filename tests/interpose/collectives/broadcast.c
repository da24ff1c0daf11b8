// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Broadcasts of bytes without gaps, of any length, from any rank, to and from any address: in one step, and in two, in which
// the others pass on what they get. Sums in between use the same memory of the library. Each byte is checked, and those around.
//
// usage: broadcast <kind of memory> <rounds> <most bytes> [seed]
#include "../common/device_rounds.h"
#include "../common/report.h"

#include <string.h>

enum { guard = 64, shortest = 4097, turns = 3 };
static const unsigned char untouched = 0xAB;

static unsigned char* memory;
static unsigned char* host;

/// The same in all ranks.
static unsigned char byte_of(int turn, size_t i) { return (unsigned char)((i * 2654435761u + (unsigned)(round_now * turns + turn) * 40503u) >> 13); }

static void broadcast(size_t bytes, size_t offset, int root, int in_words) {
  const size_t all = bytes + 2 * guard + offset, begin = guard + offset;
  const size_t sent = in_words ? bytes / sizeof(int) * sizeof(int) : bytes;
  for (int turn = 0; turn < turns; ++turn) {
    memset(host, untouched, all);
    for (size_t i = 0; rank == root && i < bytes; ++i) host[begin + i] = byte_of(turn, i);
    memory_write(memory, host, all);
    MPI_Bcast(memory + begin, (int)(in_words ? bytes / sizeof(int) : bytes), in_words ? MPI_INT : MPI_BYTE, root, MPI_COMM_WORLD);
    memory_read(host, memory, all);
    for (size_t i = 0; i < all; ++i) {
      const int is_data = i >= begin && i < begin + (rank == root ? bytes : sent);
      expect(host[i] == (is_data ? byte_of(turn, i - begin) : untouched), is_data ? "a byte" : "a byte around");
    }
  }
}

static void add(int numbers) {
  float* const own = (float*)host;
  for (int i = 0; i < numbers; ++i) own[i] = (float)(rank + i);
  memory_write(memory, own, (size_t)numbers * sizeof(float));
  MPI_Allreduce(MPI_IN_PLACE, memory, numbers, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  memory_read(own, memory, (size_t)numbers * sizeof(float));
  for (int i = 0; i < numbers; ++i) expect(own[i] == (float)(size * (size - 1) / 2 + size * i), "a sum");
}

int main(int argc, char** argv) {
  begin_program(&argc, &argv, "host");
  const int rounds = argc > 2 ? atoi(argv[2]) : 20;
  const int most = argc > 3 ? atoi(argv[3]) : 4 << 20;
  random_state = argc > 4 ? (unsigned)atoi(argv[4]) : 1u;
  memory = memory_get((size_t)most + 3 * guard);
  host = malloc((size_t)most + 3 * guard);
  for (round_now = 0; round_now < rounds; ++round_now) {
    static const int offsets[] = {0, 0, 4, 1};
    // Each third one is long.
    size_t bytes = (size_t)(round_now % 3 == 0 ? most - below(most / 8) : shortest + below(most / 16 - shortest));
    if (below(3) == 0) bytes = bytes / 16 * 16;
    broadcast(bytes, (size_t)offsets[below(4)], below(size), below(2));
    // In one step and in two.
    if (below(2) == 0) add(below(2) == 0 ? 1000 : 400000);
  }
  report("all is right");
  memory_free(memory);
  free(host);
  report_all();
  MPI_Finalize();
  return 0;
}
