// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Blocking collective calls that come again with the same arguments and other data, as loops of programs make
// them: what the library has prepared for one call is used by the next ones. Buffers take turns, datatypes are
// freed and made anew with other layouts under the same handles, and memory is freed and allocated anew where
// other memory was. All bytes of all buffers are reported, gaps and guards too.
//
// usage: repeated <kind of memory> <rounds> [seed]
#include "../common/device_rounds.h"
#include "../common/report.h"

#include <stdint.h>
#include <string.h>

enum { guard = 64, times = 4, most_ranks = 16 };

/// A buffer, of which two take turns.
typedef struct {
  unsigned char *memory[2], *host;
  size_t bytes;
} Buffer;

static Buffer get(size_t bytes) {
  Buffer b = {{NULL, NULL}, malloc(bytes + 2 * guard), bytes + 2 * guard};
  for (int i = 0; i < 2; ++i) b.memory[i] = memory_get(b.bytes);
  return b;
}
static void give_back(Buffer* b) {
  for (int i = 0; i < 2; ++i) memory_free(b->memory[i]);
  free(b->host);
}
static void fill(Buffer* b, int turn, unsigned seed) {
  unsigned x = seed * 2654435761u + (unsigned)rank * 40503u + 1;
  for (size_t i = 0; i < b->bytes; ++i) b->host[i] = (unsigned char)((x = x * 1664525u + 1013904223u) >> 25);
  memory_write(b->memory[turn], b->host, b->bytes);
}
static void* at(const Buffer* b, int turn) { return b->memory[turn] + guard; }
static uint64_t hash(const Buffer* b, int turn) {
  uint64_t h = 1469598103934665603u;
  memory_read(b->host, b->memory[turn], b->bytes);
  for (size_t i = 0; i < b->bytes; ++i) h = (h ^ b->host[i]) * 1099511628211u;
  return h;
}

/// Some layouts of `numbers` ints, within an extent of at most 4 ints each.
static MPI_Datatype layout(int which, int numbers) {
  MPI_Datatype made, inner;
  switch (which) {
    case 0:
      MPI_Type_contiguous(numbers, MPI_INT, &made);
      break;
    case 1:
      MPI_Type_vector(numbers, 1, 3, MPI_INT, &made);
      break;
    case 2:
      MPI_Type_vector(numbers, 1, 2, MPI_INT, &inner);
      MPI_Type_create_resized(inner, 0, (MPI_Aint)sizeof(int) * 4 * numbers, &made);
      MPI_Type_free(&inner);
      break;
    default: {
      int* places = malloc(sizeof(int) * (size_t)numbers);
      for (int i = 0; i < numbers; ++i) places[i] = 3 * (numbers - 1 - i) + below(3);
      MPI_Type_create_indexed_block(numbers, 1, places, MPI_INT, &made);
      free(places);
    }
  }
  MPI_Type_commit(&made);
  return made;
}

typedef struct {
  int kind, root, in_place, count;  ///< items of each block
  MPI_Aint extent, received_extent;
  int numbers;
  MPI_Datatype sent, received;
  int counts[most_ranks], places[most_ranks], byte_places[most_ranks];  ///< of all ranks alike
  int received_byte_places[most_ranks];
  MPI_Datatype types[most_ranks], received_types[most_ranks];
  MPI_Comm grid;
} Case;

enum { bcast, gather, gatherv, scatter, scatterv, allgather, allgatherv, alltoall, alltoallv, alltoallw, neighbor_allgather,
       neighbor_alltoall, neighbor_alltoallv, neighbor_alltoallw, kinds };
static const char* const names[kinds] = {"bcast", "gather", "gatherv", "scatter", "scatterv", "allgather", "allgatherv", "alltoall",
    "alltoallv", "alltoallw", "neighbor_allgather", "neighbor_alltoall", "neighbor_alltoallv", "neighbor_alltoallw"};

static void call(const Case* c, void* from, void* to) {
  void* const in_place = MPI_IN_PLACE;
  const int is_root = rank == c->root;
  MPI_Aint wide[most_ranks], wide_received[most_ranks];
  for (int i = 0; i < most_ranks; ++i) {
    wide[i] = c->byte_places[i];
    wide_received[i] = c->received_byte_places[i];
  }
  switch (c->kind) {
    case bcast:
      MPI_Bcast(is_root ? from : to, c->count, is_root ? c->sent : c->received, c->root, MPI_COMM_WORLD);
      break;
    case gather:
      MPI_Gather(is_root && c->in_place ? in_place : from, c->count, c->sent, to, c->count, c->received, c->root, MPI_COMM_WORLD);
      break;
    case gatherv:
      MPI_Gatherv(from, c->counts[rank], c->sent, to, c->counts, c->places, c->received, c->root, MPI_COMM_WORLD);
      break;
    case scatter:
      MPI_Scatter(from, c->count, c->sent, is_root && c->in_place ? in_place : to, c->count, c->received, c->root, MPI_COMM_WORLD);
      break;
    case scatterv:
      MPI_Scatterv(from, c->counts, c->places, c->sent, to, c->counts[rank], c->received, c->root, MPI_COMM_WORLD);
      break;
    case allgather:
      MPI_Allgather(c->in_place ? in_place : from, c->count, c->sent, to, c->count, c->received, MPI_COMM_WORLD);
      break;
    case allgatherv:
      MPI_Allgatherv(from, c->counts[rank], c->sent, to, c->counts, c->places, c->received, MPI_COMM_WORLD);
      break;
    case alltoall:
      MPI_Alltoall(c->in_place ? in_place : from, c->count, c->sent, to, c->count, c->received, MPI_COMM_WORLD);
      break;
    case alltoallv:  // each to all as many as that has numbers
      MPI_Alltoallv(from, c->counts, c->places, c->sent, to, (int[most_ranks]){[0 ... most_ranks - 1] = c->counts[rank]}, c->places,
                    c->received, MPI_COMM_WORLD);
      break;
    case alltoallw:
      MPI_Alltoallw(from, c->counts, c->byte_places, c->types, to, (int[most_ranks]){[0 ... most_ranks - 1] = c->counts[rank]},
                    c->received_byte_places, c->received_types, MPI_COMM_WORLD);
      break;
    case neighbor_allgather:
      MPI_Neighbor_allgather(from, c->count, c->sent, to, c->count, c->received, c->grid);
      break;
    case neighbor_alltoall:
      MPI_Neighbor_alltoall(from, c->count, c->sent, to, c->count, c->received, c->grid);
      break;
    case neighbor_alltoallv:  // the same count along a dimension
      MPI_Neighbor_alltoallv(from, c->counts, c->places, c->sent, to, c->counts, c->places, c->received, c->grid);
      break;
    default:
      MPI_Neighbor_alltoallw(from, c->counts, wide, c->types, to, c->counts, wide_received, c->received_types, c->grid);
  }
}

static void moves(int rounds, MPI_Comm grid) {
  for (round_now = 0; round_now < rounds; ++round_now) {
    Case c = {.kind = round_now % kinds, .root = below(size), .in_place = below(3) == 0, .grid = grid};
    const int lengths[] = {1, 3, 50, 4000, 20000};
    c.numbers = lengths[below(5)];
    c.count = 1 + below(3);
    if (below(8) == 0) c.count = 0;
    if (c.kind == bcast && below(4) == 0) c.count *= 40, c.numbers = 20000;
    c.sent = layout(below(4), c.numbers);
    c.received = layout(below(4), c.numbers);
    if (c.in_place) c.sent = c.received;
    MPI_Aint lb;
    MPI_Type_get_extent(c.sent, &lb, &c.extent);
    MPI_Type_get_extent(c.received, &lb, &c.received_extent);
    const int blocks = size > 4 ? size : 4;  // a grid of two dimensions has four neighbours
    for (int i = 0, place = 0; i < blocks; place += c.counts[i++] + 1) {
      c.counts[i] = c.kind >= neighbor_allgather ? 1 + (i / 2) % 2 : below(3);
      c.places[i] = place;
      c.byte_places[i] = place * (int)c.extent;
      c.received_byte_places[i] = place * (int)c.received_extent;
      c.types[i] = c.sent;
      c.received_types[i] = c.received;
    }
    // Each rank gets counts[rank] of every other: no more than 3, one place apart of the next.
    if (c.kind == alltoallv || c.kind == alltoallw)
      for (int i = 0; i < blocks; ++i) c.places[i] = 3 * i, c.byte_places[i] = 3 * i * (int)c.extent, c.received_byte_places[i] = 3 * i * (int)c.received_extent;
    const size_t items = (size_t)(3 * blocks + c.count * blocks + 4);
    Buffer from = get(items * (size_t)c.numbers * sizeof(int) * 4), to = get(items * (size_t)c.numbers * sizeof(int) * 4);
    const int alternates = below(2);
    for (int t = 0; t < times * (1 + alternates); ++t) {
      const int turn = alternates ? t % 2 : 0;
      // Of one rank alone buffers take turns at times.
      const int own = below(2) == 0 && rank % 2 == 1 ? 0 : turn;
      fill(&from, own, (unsigned)(round_now * 100 + t));
      fill(&to, turn, (unsigned)(round_now * 100 + t + 50));
      call(&c, at(&from, own), at(&to, turn));
      report("%s %d %d: %016llx %016llx", names[c.kind], round_now, t, (unsigned long long)hash(&from, own), (unsigned long long)hash(&to, turn));
    }
    if (c.sent != c.received) MPI_Type_free(&c.sent);
    MPI_Type_free(&c.received);
    give_back(&from);
    give_back(&to);
  }
}

/// The same numbers are places in items for one call, and in bytes for the other.
static void places_in_items_and_bytes(void) {
  const int numbers = 5000, bytes = numbers * (int)sizeof(int);
  int counts[most_ranks], places[most_ranks];
  MPI_Datatype all, types[most_ranks];
  MPI_Type_contiguous(numbers, MPI_INT, &all);
  MPI_Type_create_resized(all, 0, sizeof(int), &types[0]);
  MPI_Type_commit(&types[0]);
  MPI_Type_free(&all);
  for (int i = 0; i < size; ++i) counts[i] = 1, places[i] = i * bytes, types[i] = types[0];
  Buffer from = get((size_t)size * (size_t)bytes * sizeof(int)), to = get((size_t)size * (size_t)bytes * sizeof(int));
  for (int t = 0; t < 2 * times; ++t) {
    fill(&from, 0, (unsigned)t);
    fill(&to, 0, (unsigned)t + 50);
    if (t % 2 == 0)
      MPI_Alltoallv(at(&from, 0), counts, places, types[0], at(&to, 0), counts, places, types[0], MPI_COMM_WORLD);
    else
      MPI_Alltoallw(at(&from, 0), counts, places, types, at(&to, 0), counts, places, types, MPI_COMM_WORLD);
    report("places %d: %016llx %016llx", t, (unsigned long long)hash(&from, 0), (unsigned long long)hash(&to, 0));
  }
  MPI_Type_free(&types[0]);
  give_back(&from);
  give_back(&to);
}

enum { allreduce, reduce, reduce_scatter_block, reduce_scatter, scan, exscan, reductions };
static const char* const reduction_names[reductions] = {"allreduce", "reduce", "reduce_scatter_block", "reduce_scatter", "scan", "exscan"};

typedef struct {
  int kind, root, in_place, count, counts[most_ranks];
  MPI_Datatype type;
  MPI_Op op;
} Reduction;

static void combine(const Reduction* r, void* from, void* to) {
  void* const in_place = MPI_IN_PLACE;
  switch (r->kind) {
    case allreduce:
      MPI_Allreduce(r->in_place ? in_place : from, to, r->count, r->type, r->op, MPI_COMM_WORLD);
      break;
    case reduce:
      MPI_Reduce(r->in_place && rank == r->root ? in_place : from, to, r->count, r->type, r->op, r->root, MPI_COMM_WORLD);
      break;
    case reduce_scatter_block:
      MPI_Reduce_scatter_block(r->in_place ? in_place : from, to, r->count, r->type, r->op, MPI_COMM_WORLD);
      break;
    case reduce_scatter:
      MPI_Reduce_scatter(r->in_place ? in_place : from, to, r->counts, r->type, r->op, MPI_COMM_WORLD);
      break;
    case scan:
      MPI_Scan(r->in_place ? in_place : from, to, r->count, r->type, r->op, MPI_COMM_WORLD);
      break;
    default:
      MPI_Exscan(r->in_place ? in_place : from, to, r->count, r->type, r->op, MPI_COMM_WORLD);
  }
}

/// Numbers in place of bytes, where some bytes are no numbers or their sums are not defined: of int8_t that are too
/// large, Open MPI 5.0.11 gives 127.
static void make_numbers(Buffer* b, int shift, MPI_Datatype type) {
  MPI_Aint lb, extent;
  MPI_Type_get_extent(type, &lb, &extent);
  if (type == MPI_INT8_T)
    for (size_t i = 0; i < b->bytes; ++i) b->host[i] /= (unsigned char)size;
  if (type != MPI_FLOAT && type != MPI_DOUBLE && type != MPI_DOUBLE_INT) return;
  for (size_t i = guard + (size_t)shift; i + 16 <= b->bytes - guard; i += (size_t)extent) {
    const double number = b->host[i] - 60;
    const float narrow = (float)number;
    if (extent == 4) memcpy(b->host + i, &narrow, 4);
    else memcpy(b->host + i, &number, 8);
  }
}

static void combinations(int rounds) {
  const MPI_Datatype types[] = {MPI_INT, MPI_INT8_T, MPI_UINT64_T, MPI_FLOAT, MPI_DOUBLE, MPI_SHORT_INT, MPI_DOUBLE_INT, MPI_BYTE};
  const MPI_Op ops[] = {MPI_SUM, MPI_SUM, MPI_SUM, MPI_MAX, MPI_MIN, MPI_MINLOC, MPI_MAXLOC, MPI_BXOR};
  for (round_now = 0; round_now < rounds; ++round_now) {
    const int which = below(8);
    const int lengths[] = {1, 7, 1000, 40000, 130001, 500009};
    Reduction r = {.kind = round_now % reductions, .root = below(size), .in_place = below(3) == 0, .count = lengths[below(6)], .type = types[which], .op = ops[which]};
    if (below(10) == 0) r.count = 0;
    // What is left of the numbers that a share takes the place of is not defined.
    if (r.kind == reduce_scatter_block || r.kind == reduce_scatter) r.in_place = 0;
    if (r.kind == reduce_scatter_block) r.count = r.count / 4 + 1;
    for (int i = 0; i < size; ++i) r.counts[i] = r.count + (i == size - 1);  // MPICH 5.0.2 copies overlapping memory where they differ more
    MPI_Aint lb, extent;
    MPI_Type_get_extent(r.type, &lb, &extent);
    const size_t bytes = ((size_t)r.count + 3) * (size_t)extent * (size_t)(2 * size);
    const int shift = below(3) == 0 ? (int)extent : 0;  // not where words begin
    Buffer from = get(bytes), to = get(bytes);
    for (int t = 0; t < times; ++t) {
      fill(&from, t % 2, (unsigned)(round_now * 100 + t));
      fill(&to, t % 2, (unsigned)(round_now * 100 + t + 50));
      for (int side = 0; side < 2; ++side) {
        Buffer* const b = side ? &to : &from;
        memory_read(b->host, b->memory[t % 2], b->bytes);
        make_numbers(b, shift, r.type);
        memory_write(b->memory[t % 2], b->host, b->bytes);
      }
      combine(&r, (char*)at(&from, t % 2) + shift, (char*)at(&to, t % 2) + shift);
      report("%s %d %d: %016llx %016llx", reduction_names[r.kind], round_now, t, (unsigned long long)hash(&from, t % 2), (unsigned long long)hash(&to, t % 2));
    }
    give_back(&from);
    give_back(&to);
  }
}

/// Sums of numbers that round: the same bits in all ranks, and each time.
static void same_bits(void) {
  const int counts[] = {5, 30000, 600000};
  for (int i = 0; i < 3; ++i) {
    Buffer from = get(sizeof(float) * (size_t)counts[i]), to = get(sizeof(float) * (size_t)counts[i]);
    float* const numbers = (float*)(from.host + guard);
    memset(from.host, 0, from.bytes);
    for (int k = 0; k < counts[i]; ++k) numbers[k] = 1.0f / (float)(1 + k % 977 + 13 * rank);
    memory_write(from.memory[0], from.host, from.bytes);
    uint64_t first = 0;
    for (int t = 0; t < times; ++t) {
      memset(to.host, 0, to.bytes);
      memory_write(to.memory[0], to.host, to.bytes);
      MPI_Allreduce(at(&from, 0), at(&to, 0), counts[i], MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
      uint64_t own = hash(&to, 0), all[most_ranks];
      if (t == 0) first = own;
      MPI_Allgather(&own, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, MPI_COMM_WORLD);
      for (int other = 0; other < size; ++other) expect(all[other] == own, "sums in all ranks");
      expect(own == first, "sums each time");
    }
    give_back(&from);
    give_back(&to);
  }
}

int main(int argc, char** argv) {
  begin_program(&argc, &argv, "host");
  const int rounds = argc > 2 ? atoi(argv[2]) : 2 * kinds;
  random_state = argc > 3 ? (unsigned)atoi(argv[3]) : 1u;
  int extents[2] = {0, 0}, periods[2] = {1, 0};
  MPI_Comm grid;
  MPI_Dims_create(size, 2, extents);
  MPI_Cart_create(MPI_COMM_WORLD, 2, extents, periods, 0, &grid);
  moves(rounds, grid);
  places_in_items_and_bytes();
  combinations(rounds);
  same_bits();
  MPI_Comm_free(&grid);
  report_all();
  MPI_Finalize();
  return 0;
}
