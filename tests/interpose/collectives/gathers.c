// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Gathers to all and all-to-alls of bytes without gaps, of any length, at any address, each several times with the same
// arguments: in one step, in tiles, and from buffer to buffer. Each byte is checked, and those around.
//
// usage: gathers <kind of memory> <rounds> <most bytes of all blocks> [seed]
#include "../common/device_rounds.h"
#include "../common/report.h"

#include <string.h>

enum { guard = 64, shortest = 1, turns = 4, most_ranks = 16 };
enum kind { allgather, allgather_in_place, allgatherv, alltoall, kinds };
static const unsigned char untouched = 0xAB;

static unsigned char *in, *out, *host;

/// The same in all ranks.
static unsigned char byte_of(int turn, int from, int to, size_t i) {
  const unsigned call = (unsigned)(((round_now * turns + turn) * most_ranks + from) * most_ranks + to);
  return (unsigned char)((i * 2654435761u + call * 40503u) >> 13);
}

/// Of a rank: equal but for allgatherv, where they differ, and one is empty.
static size_t block(enum kind kind, size_t bytes, int of) {
  if (kind != allgatherv) return bytes;
  return of == 1 ? 0 : bytes / (size_t)(of + 1);
}

static void put(int turn, int from, int to, size_t bytes, unsigned char* begin) {
  for (size_t i = 0; i < bytes; ++i) begin[i] = byte_of(turn, from, to, i);
}

static void call(enum kind kind, size_t bytes, size_t in_offset, size_t out_offset) {
  int counts[most_ranks], places[most_ranks];
  size_t all = 0;
  for (int of = 0; of < size; ++of) {
    counts[of] = (int)block(kind, bytes, of);
    places[of] = (int)all;
    all += block(kind, bytes, of);
  }
  const size_t given = kind == alltoall ? all : block(kind, bytes, rank);
  unsigned char *const from = in + guard + in_offset, *const to = out + guard + out_offset;
  for (int turn = 0; turn < turns; ++turn) {
    for (int other = 0; other < (kind == alltoall ? size : 1); ++other)
      put(turn, rank, kind == alltoall ? other : 0, kind == alltoall ? bytes : given, host + (size_t)other * bytes);
    memory_write(from, host, given);
    memset(host, untouched, all + 2 * guard);
    if (kind == allgather_in_place) put(turn, rank, 0, given, host + guard + places[rank]);
    memory_write(to - guard, host, all + 2 * guard);
    switch (kind) {
      case allgather:
        MPI_Allgather(from, (int)given, MPI_BYTE, to, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
        break;
      case allgather_in_place:
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_BYTE, to, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
        break;
      case allgatherv:
        MPI_Allgatherv(from, (int)given, MPI_BYTE, to, counts, places, MPI_BYTE, MPI_COMM_WORLD);
        break;
      default:
        MPI_Alltoall(from, (int)bytes, MPI_BYTE, to, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
    }
    memory_read(host, to - guard, all + 2 * guard);
    for (size_t i = 0; i < guard; ++i)
      expect(host[i] == untouched && host[guard + all + i] == untouched, "a byte around");
    for (int of = 0; of < size; ++of)
      for (size_t i = 0; i < (size_t)counts[of]; ++i)
        expect(host[guard + (size_t)places[of] + i] == byte_of(turn, of, kind == alltoall ? rank : 0, i), "a byte");
  }
}

int main(int argc, char** argv) {
  begin_program(&argc, &argv, "host");
  const int rounds = argc > 2 ? atoi(argv[2]) : 20;
  const int most = (argc > 3 ? atoi(argv[3]) : 4 << 20) / size;
  random_state = argc > 4 ? (unsigned)atoi(argv[4]) : 1u;
  const size_t room = (size_t)most * (size_t)size + 3 * guard;
  in = memory_get(room);
  out = memory_get(room);
  host = malloc(room);
  for (round_now = 0; round_now < rounds; ++round_now) {
    static const size_t offsets[] = {0, 16, 0, 3};
    const int is_long = below(2) == 0;
    size_t bytes = (size_t)(is_long ? most - below(most / 8) : shortest + below(most / 16));
    if (below(4) != 0) bytes = (bytes + 15) / 16 * 16;
    if (bytes > (size_t)most) bytes = (size_t)most / 16 * 16;
    call((enum kind)(round_now % kinds), bytes, offsets[below(4)], offsets[below(4)]);
  }
  report("all is right");
  memory_free(in);
  memory_free(out);
  free(host);
  report_all();
  MPI_Finalize();
  return 0;
}
