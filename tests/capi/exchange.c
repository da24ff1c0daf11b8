// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Exchanges between two ranks from C: columns of a matrix become rows of the other's, and of this one's.
#include "check.h"

#include <typewarp_mpi.h>

enum { rows = 4, columns = 3, cells = rows * columns, nobody_without_mpi = -1 };

static int rank, partner;
static MPI_Comm comm;
static tw_plan *column, *row;

static void fill(double* matrix, int step) {
  for (int i = 0; i < cells; ++i) matrix[i] = 100 * rank + i + 1000 * step;
}

/// Whether that is column `number` of the matrix of a rank.
static int is_column(const double* got, int of, int number, int step) {
  for (int i = 0; i < rows; ++i) {
    if (got[i] != 100 * of + i * columns + number + 1000 * step) return 0;
  }
  return 1;
}

static void run(tw_exchange* exchange, int by_waiting) {
  SUCCEEDS(tw_exchange_start(exchange, NULL));
  if (by_waiting) {
    SUCCEEDS(tw_exchange_wait(exchange));
    return;
  }
  for (int done = 0; !done;) SUCCEEDS(tw_exchange_done(exchange, &done));
}

static void ways(const tw_exchange* exchange) {
  const char* const host = "the sender has it in memory of the host";
  tw_part_way way = {-1, -1, -1, NULL};
  SUCCEEDS(tw_exchange_way_of_send(exchange, 0, &way));
  CHECK(way.bytes == rows * (int64_t)sizeof(double) && way.peer == partner && way.direct == 0);
  CHECK(strcmp(way.reason, host) == 0);
  SUCCEEDS(tw_exchange_way_of_receive(exchange, 0, &way));
  CHECK(way.peer == partner && strcmp(way.reason, host) == 0);
  SUCCEEDS(tw_exchange_way_of_send(exchange, 2, &way));
  CHECK(way.bytes == 0 && way.peer == MPI_PROC_NULL && way.direct == 0 && strcmp(way.reason, "") == 0);
  REFUSED("index", tw_exchange_way_of_send(exchange, 3, &way));
  REFUSED("index", tw_exchange_way_of_receive(exchange, -1, &way));
  REFUSED("way", tw_exchange_way_of_receive(exchange, 0, NULL));
}

static void columns_become_rows(const tw_ranks* ranks) {
  double matrix[cells], other[cells], got[2][rows], elsewhere[2][rows];
  const tw_outgoing_part sends[] = {
      {matrix + 1, 1, column, partner}, {matrix + 2, 1, column, rank}, {NULL, 1, column, MPI_PROC_NULL}};
  const tw_incoming_part receives[] = {{got[0], 1, row, partner}, {got[1], 1, row, rank}};
  tw_exchange* exchange = NULL;
  SUCCEEDS(tw_exchange_create(ranks, 3, sends, 2, receives, NULL, &exchange));
  for (int step = 0; step < 4; ++step) {
    memset(got, 0, sizeof got);
    fill(matrix, step);
    run(exchange, step % 2);
    CHECK(is_column(got[0], partner, 1, step) && is_column(got[1], rank, 2, step));
  }
  ways(exchange);

  const void* const from[] = {other, other + 1, NULL};
  void* const to[] = {elsewhere[1], elsewhere[0]};
  REFUSED("send_count", tw_exchange_rebind(exchange, 2, from, 2, to));
  REFUSED("send_count", tw_exchange_rebind(exchange, 3, NULL, 2, to));
  REFUSED("recv_count", tw_exchange_rebind(exchange, 3, from, -1, to));
  SUCCEEDS(tw_exchange_rebind(exchange, 3, from, 2, to));
  fill(other, 7);
  SUCCEEDS(tw_exchange_start_displaced(exchange, 0, 0, NULL));
  SUCCEEDS(tw_exchange_wait(exchange));
  CHECK(is_column(elsewhere[1], partner, 0, 7) && is_column(elsewhere[0], rank, 1, 7));
  REFUSED("displacements.own_receives", tw_exchange_start_displaced(exchange, 0, 8, NULL));
  tw_exchange_free(exchange);
  tw_exchange_free(NULL);
}

static void a_late_partner(const tw_ranks* ranks) {
  double number = rank, got = -1;
  tw_plan* one = NULL;
  SUCCEEDS(tw_plan_commit(tw_datatype_named(TW_DOUBLE), &one));
  const tw_exchange_options options = {.time_limit = 200, .wait = TW_WAIT_MEMORY_OPERATION};
  const tw_outgoing_part send = {&number, 1, one, partner};
  const tw_incoming_part receive = {&got, 1, one, partner};
  tw_exchange* exchange = NULL;
  SUCCEEDS(tw_exchange_create(ranks, 1, &send, 1, &receive, &options, &exchange));
  if (rank == 0) {
    SUCCEEDS(tw_exchange_start(exchange, NULL));
    CHECK(tw_exchange_wait(exchange) == TW_ERR_TIME_LIMIT);
  }
  MPI_Barrier(comm);
  tw_exchange_free(exchange);
  tw_plan_free(one);
}

static void refusals(const tw_ranks* ranks) {
  double number = 1;
  const tw_outgoing_part send = {&number, 1, row, rank}, no_plan = {&number, 1, NULL, rank};
  const tw_incoming_part receive = {&number, 1, row, rank}, no_rank = {&number, 1, row, 2};
  const tw_exchange_options wrong_wait = {0, 2}, wrong_limit = {-1, 0};
  tw_exchange* exchange = NULL;
  int done = -5;
  REFUSED("ranks", tw_exchange_create(NULL, 1, &send, 1, &receive, NULL, &exchange));
  REFUSED("exchange", tw_exchange_create(ranks, 1, &send, 1, &receive, NULL, NULL));
  REFUSED("send_count", tw_exchange_create(ranks, -1, &send, 1, &receive, NULL, &exchange));
  REFUSED("sends", tw_exchange_create(ranks, 1, NULL, 1, &receive, NULL, &exchange));
  REFUSED("recv_count", tw_exchange_create(ranks, 1, &send, -1, &receive, NULL, &exchange));
  REFUSED("receives", tw_exchange_create(ranks, 1, &send, 1, NULL, NULL, &exchange));
  REFUSED("receives[0].peer", tw_exchange_create(ranks, 1, &send, 1, &no_rank, NULL, &exchange));
  REFUSED("options.wait", tw_exchange_create(ranks, 1, &send, 1, &receive, &wrong_wait, &exchange));
  REFUSED("options.time_limit", tw_exchange_create(ranks, 1, &send, 1, &receive, &wrong_limit, &exchange));
  REFUSED("exchange", tw_exchange_start(NULL, NULL));
  REFUSED("exchange", tw_exchange_start_displaced(NULL, 0, 0, NULL));
  REFUSED("exchange", tw_exchange_done(NULL, &done));
  REFUSED("exchange", tw_exchange_wait(NULL));
  REFUSED("exchange", tw_exchange_rebind(NULL, 0, NULL, 0, NULL));
  REFUSED("exchange", tw_exchange_way_of_send(NULL, 0, NULL));
  REFUSED("exchange", tw_exchange_way_of_receive(NULL, 0, NULL));

  // What is wrong in one rank fails in all.
  const tw_result result =
      tw_exchange_create(ranks, 1, rank == 1 ? &no_plan : &send, 1, &receive, NULL, &exchange);
  CHECK(result == (rank == 1 ? TW_ERR_ARGUMENT : TW_ERR_OTHER));
  CHECK(strstr(tw_error_text(), "sends[0].plan = null") != NULL);
  CHECK(exchange == NULL);
  SUCCEEDS(tw_exchange_create(ranks, 0, NULL, 0, NULL, NULL, &exchange));
  REFUSED("done", tw_exchange_done(exchange, NULL));
  CHECK(done == -5);
  REFUSED("send_count", tw_exchange_rebind(exchange, 1, NULL, 0, NULL));
  REFUSED("recv_count", tw_exchange_rebind(exchange, 0, NULL, -1, NULL));
  SUCCEEDS(tw_exchange_rebind(exchange, 0, NULL, 0, NULL));
  tw_exchange_free(exchange);
}

static int gather(const void* own, int64_t bytes, void* all, void* argument) {
  int* const calls = argument;
  ++*calls;
  return MPI_Allgather(own, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, comm) == MPI_SUCCESS ? 0 : 1;
}

static int fail(const void* own, int64_t bytes, void* all, void* argument) {
  (void)own, (void)bytes, (void)all, (void)argument;
  return 17;
}

/// Of memory of the host nothing goes without an MPI.
static void without_mpi(void) {
  double number = rank, got = -1;
  int calls = 0;
  tw_ranks* ranks = NULL;
  tw_exchange* exchange = NULL;
  REFUSED("ranks", tw_ranks_create(rank, 2, gather, &calls, NULL));
  REFUSED("all_gather", tw_ranks_create(rank, 2, NULL, &calls, &ranks));
  REFUSED("size", tw_ranks_create(rank, 0, gather, &calls, &ranks));
  REFUSED("rank", tw_ranks_create(2, 2, gather, &calls, &ranks));
  SUCCEEDS(tw_ranks_create(rank, 2, gather, &calls, &ranks));
  const tw_outgoing_part send = {&number, 1, row, partner}, to_nobody = {&number, 1, row, nobody_without_mpi};
  const tw_incoming_part receive = {&got, 1, row, partner};
  CHECK(tw_exchange_create(ranks, 1, &send, 1, &receive, NULL, &exchange) == TW_ERR_OTHER);
  CHECK(strstr(tw_error_text(), "nothing else carries it: the sender has it in memory of the host") != NULL);
  SUCCEEDS(tw_exchange_create(ranks, 1, &to_nobody, 0, NULL, NULL, &exchange));
  run(exchange, 1);
  const int before = calls;
  run(exchange, 0);
  CHECK(calls == before && calls > 0);  // a start gathers nothing
  tw_exchange_free(exchange);
  tw_ranks_free(ranks);
  tw_ranks_free(NULL);

  SUCCEEDS(tw_ranks_create(rank, 2, fail, NULL, &ranks));
  exchange = NULL;
  CHECK(tw_exchange_create(ranks, 0, NULL, 0, NULL, NULL, &exchange) == TW_ERR_OTHER && exchange == NULL);
  CHECK(strstr(tw_error_text(), "tw_all_gather: returned 17") != NULL);
  tw_ranks_free(ranks);
}

int main(int argc, char** argv) {
  int granted;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &granted);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_rank(comm, &rank);
  partner = 1 - rank;
  tw_datatype *of_column = NULL, *of_row = NULL;
  SUCCEEDS(tw_datatype_vector(rows, 1, columns, tw_datatype_named(TW_DOUBLE), &of_column));
  SUCCEEDS(tw_datatype_contiguous(rows, tw_datatype_named(TW_DOUBLE), &of_row));
  SUCCEEDS(tw_plan_commit(of_column, &column));
  SUCCEEDS(tw_plan_commit(of_row, &row));

  tw_ranks* ranks = NULL;
  REFUSED("comm", tw_ranks_of_mpi(MPI_COMM_NULL, &ranks));
  REFUSED("ranks", tw_ranks_of_mpi(comm, NULL));
  SUCCEEDS(tw_ranks_of_mpi(comm, &ranks));
  columns_become_rows(ranks);
  refusals(ranks);
  a_late_partner(ranks);
  tw_ranks_free(ranks);
  without_mpi();

  tw_plan_free(column);
  tw_plan_free(row);
  tw_datatype_free(of_column);
  tw_datatype_free(of_row);
  int anywhere = 0;
  MPI_Allreduce(&failures, &anywhere, 1, MPI_INT, MPI_SUM, comm);
  failures = anywhere;
  const int status = rank == 0 ? finish() : anywhere != 0;
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return status;
}
