// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collective calls that do not block, several under way, completed in any order, with calls that block in between. Each number is
// checked, and those around. GPUs that make a call at once combine in the order of ranks, whatever the length, which shows in the
// last bits of floats: with "in_order" the reductions on MPI_COMM_WORLD must do so.
//
// usage: started <kind of memory> <rounds> [any_order|in_order] [seed]
#include "../common/device_rounds.h"
#include "../common/report.h"

#include <string.h>

enum { guard = 16, most = 1200000, calls = 4, most_ranks = 8 };
enum { allreduce, reduce, reduce_scatter_block, reduce_scatter, allgather, allgatherv, alltoall, bcast, kinds };
static const float untouched = -1234.5f;

typedef struct {
  int kind, root, count, in_place, ordered;
  MPI_Comm comm;
  float *in, *out;  ///< of this kind of memory
  int counts[most_ranks], places[most_ranks];
  MPI_Request request;
} Call;

static int moves(const Call* c) { return c->kind >= allgather; }

static float* host;
static float* other_host;

/// Of a rank: with all bits in use, so that sums depend on their order.
static float number_of(int of, int call, int i) {
  unsigned x = (unsigned)i * 2654435761u + (unsigned)(of * 97 + call * 13 + round_now) * 40503u + 77u;
  x ^= x >> 13;
  x *= 1664525u;
  return (float)(x >> 8) / 4099.0f;
}

static float in_order(int call, int i) {
  volatile float sum = number_of(0, call, i);
  for (int of = 1; of < size; ++of) sum += number_of(of, call, i);
  return sum;
}

static int is_right(float value, int call, int i, int ordered) {
  const float expected = in_order(call, i);
  const float difference = value > expected ? value - expected : expected - value;
  return ordered ? value == expected : difference <= 1e-5f * expected;
}

/// What rank `to` has at last in the place i of a call that moves numbers.
static float moved_to(const Call* c, int to, int call, int i) {
  if (c->kind == bcast) return number_of(c->root, call, i);
  if (c->kind == alltoall) {
    const int each = c->count / size;
    return number_of(i / each, call, to * each + i % each);
  }
  int from = size - 1;
  while (c->kind == allgather ? i < from * (c->count / size) : i < c->places[from]) --from;
  return number_of(from, call, i);
}

static void start(Call* c, int number) {
  const int all = c->count, each = all / size;
  for (int i = 0; i < all + 2 * guard; ++i) host[i] = i < guard || i >= guard + all ? untouched : number_of(rank, number, i - guard);
  memory_write(c->in, host, sizeof(float) * (size_t)(all + 2 * guard));
  for (int i = 0; i < all + 2 * guard; ++i) other_host[i] = untouched;
  memory_write(c->out, other_host, sizeof(float) * (size_t)(all + 2 * guard));
  const float* const in = c->in + guard;
  float* const out = c->out + guard;
  switch (c->kind) {
    case allreduce:
      if (c->in_place) memory_write(c->out, host, sizeof(float) * (size_t)(all + 2 * guard));
      MPI_Iallreduce(c->in_place ? MPI_IN_PLACE : in, out, all, MPI_FLOAT, MPI_SUM, c->comm, &c->request);
      break;
    case reduce:
      MPI_Ireduce(in, rank == c->root ? out : NULL, all, MPI_FLOAT, MPI_SUM, c->root, c->comm, &c->request);
      break;
    case reduce_scatter_block:
      MPI_Ireduce_scatter_block(in, out, each, MPI_FLOAT, MPI_SUM, c->comm, &c->request);
      break;
    case reduce_scatter:
      MPI_Ireduce_scatter(in, out, c->counts, MPI_FLOAT, MPI_SUM, c->comm, &c->request);
      break;
    case allgather:
      if (c->in_place) memory_write(c->out + guard + rank * each, host + guard + rank * each, sizeof(float) * (size_t)each);
      MPI_Iallgather(c->in_place ? MPI_IN_PLACE : in + rank * each, each, MPI_FLOAT, out, each, MPI_FLOAT, c->comm, &c->request);
      break;
    case allgatherv:
      MPI_Iallgatherv(in + c->places[rank], c->counts[rank], MPI_FLOAT, out, c->counts, c->places, MPI_FLOAT, c->comm, &c->request);
      break;
    case alltoall:
      MPI_Ialltoall(in, each, MPI_FLOAT, out, each, MPI_FLOAT, c->comm, &c->request);
      break;
    default:
      if (rank == c->root) memory_write(c->out, host, sizeof(float) * (size_t)(all + 2 * guard));
      MPI_Ibcast(out, all, MPI_FLOAT, c->root, c->comm, &c->request);
  }
}

static void check(const Call* c, int number) {
  int first = 0, count = c->count;
  if (c->kind == reduce && rank != c->root) count = 0;
  if (c->kind == reduce_scatter_block) count = c->count / size, first = rank * count;
  if (c->kind == reduce_scatter) {
    count = c->counts[rank];
    for (int r = 0; r < rank; ++r) first += c->counts[r];
  }
  memory_read(host, c->out, sizeof(float) * (size_t)(c->count + 2 * guard));
  for (int i = 0; i < c->count + 2 * guard; ++i) {
    const int k = i - guard;
    if (k >= 0 && k < count && moves(c))
      expect(host[i] == moved_to(c, rank, number, k), "a number");
    else if (k >= 0 && k < count)
      expect(is_right(host[i], number, first + k, c->ordered), c->ordered ? "a sum in the order of ranks" : "a sum");
    else
      expect(host[i] == untouched, "a number around");
  }
}

/// A call that blocks, beside those under way; or a message that another rank waits for before it begins the next one, while this
/// rank's device must become idle.
static void something_between(float* memory) {
  if (below(2) == 0) {
    const int count = below(2) == 0 ? 1000 : 400000;
    for (int i = 0; i < count; ++i) host[i] = (float)(rank + i % 1000);
    memory_write(memory, host, sizeof(float) * (size_t)count);
    MPI_Allreduce(MPI_IN_PLACE, memory, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    memory_read(host, memory, sizeof(float) * (size_t)count);
    for (int i = 0; i < count; ++i) expect(host[i] == (float)(size * (size - 1) / 2 + size * (i % 1000)), "a sum that blocks");
  } else {
    int word = round_now;
    const int from = below(size);
    memory_write(memory, host, sizeof(float));
    if (rank == from)
      for (int to = 0; to < size; ++to) {
        if (to != rank) MPI_Send(&word, 1, MPI_INT, to, 5, MPI_COMM_WORLD);
      }
    else
      MPI_Recv(&word, 1, MPI_INT, from, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(word == round_now, "a word");
  }
}

static void draw(Call* c, MPI_Comm comm, int must_be_ordered) {
  enum { shortest = 40000 };  // 160 kB: shorter ones are the MPI's
  c->kind = below(kinds);
  c->root = below(size);
  c->comm = comm;
  c->count = below(3) == 0 ? most - below(most / 4) : size * shortest + below(most / 8);
  if (c->kind == reduce_scatter_block || c->kind == allgather || c->kind == alltoall) c->count = c->count / size * size;
  c->in_place = (c->kind == allreduce || c->kind == allgather) && below(3) == 0;
  c->ordered = must_be_ordered && comm == MPI_COMM_WORLD;
  int left = c->count;
  for (int r = 0; r < size; ++r) {
    c->places[r] = c->count - left;
    left -= c->counts[r] = r == size - 1 ? left : below(left + 1);
  }
}

int main(int argc, char** argv) {
  begin_program(&argc, &argv, "host");
  const int rounds = argc > 2 ? atoi(argv[2]) : 10;
  const int must_be_ordered = argc > 3 && strcmp(argv[3], "in_order") == 0 && !memory_is_host();
  random_state = argc > 4 ? (unsigned)atoi(argv[4]) : 1u;
  host = malloc(sizeof(float) * (most + 2 * guard));
  other_host = malloc(sizeof(float) * (most + 2 * guard));
  Call all[calls];
  for (int i = 0; i < calls; ++i) {
    all[i].in = memory_get(sizeof(float) * (most + 2 * guard));
    all[i].out = memory_get(sizeof(float) * (most + 2 * guard));
  }
  float* const between = memory_get(sizeof(float) * 400000);
  for (round_now = 0; round_now < rounds; ++round_now) {
    MPI_Comm other = MPI_COMM_NULL;
    if (round_now % 3 == 2) MPI_Comm_dup(MPI_COMM_WORLD, &other);
    const int some = 1 + below(calls);
    for (int i = 0; i < some; ++i) {
      draw(&all[i], other != MPI_COMM_NULL && below(2) == 0 ? other : MPI_COMM_WORLD, must_be_ordered);
      start(&all[i], i);
      if (below(3) == 0) something_between(between);
    }
    if (below(2) == 0) {
      MPI_Request requests[calls];
      for (int i = 0; i < some; ++i) requests[i] = all[i].request;
      MPI_Waitall(some, requests, MPI_STATUSES_IGNORE);
    } else {
      for (int i = (rank % 2 == 0 ? 0 : some - 1), k = 0; k < some; ++k, i += rank % 2 == 0 ? 1 : -1)
        MPI_Wait(&all[i].request, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < some; ++i) check(&all[i], i);
    if (other != MPI_COMM_NULL) MPI_Comm_free(&other);
  }
  report("all is right");
  for (int i = 0; i < calls; ++i) {
    memory_free(all[i].in);
    memory_free(all[i].out);
  }
  memory_free(between);
  free(host);
  free(other_host);
  report_all();
  MPI_Finalize();
  return 0;
}
