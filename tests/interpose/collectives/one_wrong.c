// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Of each collective call, the last rank makes one more, with an argument that no MPI takes. It gets an error, and to
// all others that call was not made: right ones before and after it move what they should, in every rank.
#include "../common/rounds.h"

enum { numbers = 50000, most = 4 };

static int sent[most * numbers], received[most * numbers];

enum call { bcast, gather, scatter, allgather, alltoall, alltoallv, alltoallw, allreduce, reduce, reduce_scatter_block, scan,
            iallgather, ialltoallv, iallreduce, neighbor_alltoall, calls };
enum wrong { nothing, negative_count, no_type, no_root, no_op, wrongs };

static MPI_Comm ring;

static int make(enum call which, enum wrong wrong) {
  const int count = wrong == negative_count ? -5 : numbers, root = wrong == no_root ? 99 : 0;
  const MPI_Datatype type = wrong == no_type ? MPI_DATATYPE_NULL : MPI_INT;
  const MPI_Op op = wrong == no_op ? MPI_OP_NULL : MPI_SUM;
  int counts[most], places[most], byte_places[most];
  MPI_Datatype types[most];
  MPI_Request request = MPI_REQUEST_NULL;
  for (int i = 0; i < most; ++i) counts[i] = count, places[i] = i * numbers, byte_places[i] = 4 * places[i], types[i] = type;
  switch (which) {
    case bcast: return MPI_Bcast(rank == 0 ? sent : received, count, type, root, MPI_COMM_WORLD);
    case gather: return MPI_Gather(sent, count, type, received, numbers, MPI_INT, root, MPI_COMM_WORLD);
    case scatter: return MPI_Scatter(sent, numbers, MPI_INT, received, count, type, root, MPI_COMM_WORLD);
    case allgather: return MPI_Allgather(sent, count, type, received, numbers, MPI_INT, MPI_COMM_WORLD);
    case alltoall: return MPI_Alltoall(sent, count, type, received, numbers, MPI_INT, MPI_COMM_WORLD);
    case alltoallv: return MPI_Alltoallv(sent, counts, places, type, received, counts, places, MPI_INT, MPI_COMM_WORLD);
    case alltoallw:
      return MPI_Alltoallw(sent, counts, byte_places, types, received, counts, byte_places, types, MPI_COMM_WORLD);
    case allreduce: return MPI_Allreduce(sent, received, count, type, op, MPI_COMM_WORLD);
    case reduce: return MPI_Reduce(sent, received, count, type, op, root, MPI_COMM_WORLD);
    case reduce_scatter_block: return MPI_Reduce_scatter_block(sent, received, count, type, op, MPI_COMM_WORLD);
    case scan: return MPI_Scan(sent, received, count, type, op, MPI_COMM_WORLD);
    case neighbor_alltoall: return MPI_Neighbor_alltoall(sent, count, type, received, numbers, MPI_INT, ring);
    default: break;
  }
  int code;
  if (which == iallgather) code = MPI_Iallgather(sent, count, type, received, numbers, MPI_INT, MPI_COMM_WORLD, &request);
  else if (which == iallreduce) code = MPI_Iallreduce(sent, received, count, type, op, MPI_COMM_WORLD, &request);
  else code = MPI_Ialltoallv(sent, counts, places, type, received, counts, places, MPI_INT, MPI_COMM_WORLD, &request);
  return code == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : code;
}

static int is_combined(enum call which) {
  return which == allreduce || which == reduce || which == reduce_scatter_block || which == scan || which == iallreduce;
}
static int has_root(enum call which) { return which == bcast || which == gather || which == scatter || which == reduce; }

static int number(int of, int turn, int i) { return 1000000 * of + 1000 * turn + i % 977; }

/// What rank `of` of the world sends to this one comes first of its block.
static void make_right(enum call which, int turn) {
  for (int i = 0; i < size * numbers; ++i) sent[i] = number(rank, turn, i), received[i] = -1;
  expect(make(which, nothing) == MPI_SUCCESS, "a right call");
  const int from_all = which == allgather || which == iallgather || which == gather;
  for (int i = 0; i < numbers; i += 499) {
    if (which == bcast) expect(rank == 0 || received[i] == number(0, turn, i), "what came by a broadcast");
    else if (which == scatter) expect(received[i] == number(0, turn, rank * numbers + i), "what was scattered");
    else if (is_combined(which)) {
      if (which == reduce && rank != 0) continue;
      const int last = which == scan ? rank : size - 1, at = which == reduce_scatter_block ? rank * numbers + i : i;
      int sum = 0;
      for (int of = 0; of <= last; ++of) sum += number(of, turn, at);
      expect(received[i] == sum, "a sum");
    } else if (which == neighbor_alltoall) {
      const int below = (rank + size - 1) % size, above = (rank + 1) % size;
      expect(size == 2 || received[i] == number(below, turn, numbers + i), "what came from the rank below");
      expect(size == 2 || received[numbers + i] == number(above, turn, i), "what came from the rank above");
    } else if (which != gather || rank == 0) {
      for (int of = 0; of < size; ++of)
        expect(received[of * numbers + i] == number(of, turn, from_all ? i : rank * numbers + i), "a block");
    }
  }
}

/// By all ranks. MPICH 5.0.2 dies, and so do both without counts.
static void make_without_places(void) {
#ifdef OPEN_MPI
  int counts[most];
  for (int i = 0; i < most; ++i) counts[i] = numbers;
  for (int turn = 0; turn < 3; ++turn) {
    const int code = MPI_Allgatherv(sent, numbers, MPI_INT, received, counts, NULL, MPI_INT, MPI_COMM_WORLD);
    expect(code != MPI_SUCCESS, "a call without places");
  }
#endif
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int periodic = 1;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
  for (int which = 0; which < calls; ++which)
    for (int wrong = negative_count; wrong < wrongs; ++wrong) {
      if ((wrong == no_root && !has_root(which)) || (wrong == no_op && !is_combined(which))) continue;
      // MPICH 5.0.2 does not look at these, and dies.
      if ((which == alltoallw && wrong == no_type) || (is_combined(which) && wrong < no_root)) continue;
      round_now = 10 * which + wrong;
      make_right(which, 0);
      if (rank == size - 1) expect(make(which, wrong) != MPI_SUCCESS, "a wrong call");
      make_right(which, 1);
      make_right(which, 2);
    }
  make_without_places();
  make_right(allgather, 0);
  MPI_Comm_free(&ring);
  MPI_Finalize();
  if (rank == 0) printf("all is right\n");
  return 0;
}
