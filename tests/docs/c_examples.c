// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The examples of docs/guide/c.md, between the markers, and a program on two ranks: they do what it says.
// [check]
#include <typewarp_mpi.h>

#include <stdio.h>
#include <stdlib.h>

static void check(tw_result result) {
  if (result == TW_SUCCESS) return;
  fprintf(stderr, "%s\n", tw_error_text());  // "tw_datatype_vector: count = -3: must not be negative"
  exit(EXIT_FAILURE);
}
// [/check]

// [pack]
// The plan of one column of an n x n matrix of doubles, which lie in rows.
static tw_plan* plan_of_column(int64_t n) {
  tw_datatype* column;
  tw_plan* plan;
  check(tw_datatype_vector(n, 1, n, tw_datatype_named(TW_DOUBLE), &column));
  check(tw_plan_commit(column, &plan));
  tw_datatype_free(column);  // the plan keeps what it needs
  return plan;
}

// Column 7 becomes column 2 of another matrix; `packed` has room for n numbers.
static void move_column(const double* matrix, double* other, const tw_plan* column, double* packed,
                        tw_stream stream) {
  check(tw_pack(matrix + 7, 1, column, packed, NULL, stream));   // gather
  check(tw_unpack(packed, other + 2, 1, column, NULL, stream));  // scatter
}
// [/pack]

// [session]
// What a program does between MPI_Init and MPI_Finalize.
static int with_session(int (*run)(void)) {
  tw_session* session;
  check(tw_session_create(MPI_COMM_WORLD, NULL, &session));  // collective
  const int outcome = run();
  tw_session_free(session);  // collective
  return outcome;
}
// [/session]

// [messages]
// Exchanges column 0 with rank `peer`, which becomes column 1 here.
static void exchange(double* matrix, const tw_plan* column, int peer, MPI_Comm comm, tw_stream stream) {
  enum { tag = 7 };
  tw_request* requests[2];
  check(tw_irecv(matrix + 1, 1, column, peer, tag, comm, stream, &requests[0]));
  check(tw_isend(matrix, 1, column, peer, tag, comm, stream, &requests[1]));
  check(tw_wait_all(2, requests, NULL));  // frees both
}
// [/messages]

// [column]
// Column 7 of rank 0 becomes column 2 of rank 1. `column` is a committed vector of n blocks, n numbers apart.
static void send_column(double* matrix, const tw_plan* column, int rank) {
  if (rank == 0) check(tw_send(matrix + 7, 1, column, 1, 0, MPI_COMM_WORLD, NULL));
  if (rank == 1) check(tw_recv(matrix + 2, 1, column, 0, 0, MPI_COMM_WORLD, NULL, NULL));
}
// [/column]

// [exchange]
// In each step the last column of a matrix goes to rank `next`, and comes as the first one from rank
// `before`.
static void shift(double* matrix, int64_t columns, const tw_plan* column, int before, int next, MPI_Comm comm,
                  int steps, tw_stream stream, void (*work)(tw_stream)) {
  const tw_outgoing_part send = {matrix + columns - 1, 1, column, next};
  const tw_incoming_part receive = {matrix, 1, column, before};
  tw_ranks* ranks;
  tw_exchange* exchange;
  check(tw_ranks_of_mpi(comm, &ranks));
  check(tw_exchange_create(ranks, 1, &send, 1, &receive, NULL, &exchange));  // collective
  tw_ranks_free(ranks);
  for (int step = 0; step < steps; ++step) {
    work(stream);
    check(tw_exchange_start(exchange, stream));             // makes no call of the MPI, and waits for nothing
    if (stream == NULL) check(tw_exchange_wait(exchange));  // without a device nothing else orders them
  }
  check(tw_exchange_wait(exchange));
  tw_exchange_free(exchange);  // collective
}
// [/exchange]

// [persistent]
// Brings column 7 to `column`, after every step.
static void watch(const double* matrix, const tw_plan* plan, double* column, int steps, tw_stream stream,
                  void (*compute)(tw_stream), void (*use)(const double*)) {
  tw_persistent* pack;
  check(tw_persistent_pack_init(matrix + 7, 1, plan, column, NULL, TW_DEVICE_OF_DATA, &pack));
  for (int step = 0; step < steps; ++step) {
    compute(stream);                           // enqueues kernels that change the matrix
    check(tw_persistent_start(pack, stream));  // behind them
    check(tw_persistent_wait(pack));           // until the host may read the column
    use(column);
  }
  tw_persistent_free(pack);
}
// [/persistent]

// [explain]
// Writes how so many columns are moved, why, and what that costs.
static void tell(FILE* file, const tw_plan* column, int64_t columns) {
  tw_explanation* explanation;
  check(tw_explain(column, columns, NULL, &explanation));
  fputs(tw_explanation_text(explanation), file);  // or tw_explanation_json(explanation)
  tw_explanation_free(explanation);
}
// [/explain]

enum { n = 10 };

static double matrix[n * n];
static int used;

static void compute(tw_stream stream) {
  (void)stream;
  for (int i = 0; i < n * n; ++i) matrix[i] += 1;
}

static void use(const double* column) {
  for (int i = 0; i < n; ++i) used += column[i] == matrix[i * n + 7];
}

static int right(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double other[n * n] = {0}, packed[n];
  for (int i = 0; i < n * n; ++i) matrix[i] = 1000 * rank + i;
  tw_plan* const column = plan_of_column(n);
  move_column(matrix, other, column, packed, NULL);
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) wrong += other[i * n + j] != (j == 2 ? matrix[i * n + 7] : 0);
  }
  send_column(matrix, column, rank);
  for (int i = 0; i < n; ++i) wrong += rank == 1 && matrix[i * n + 2] != i * n + 7;
  exchange(matrix, column, 1 - rank, MPI_COMM_WORLD, NULL);
  for (int i = 0; i < n; ++i) wrong += matrix[i * n + 1] != 1000 * (1 - rank) + i * n;
  watch(matrix, column, packed, 3, NULL, compute, use);
  // Each step adds 1 to all, and moves the last column on.
  for (int i = 0; i < n * n; ++i) matrix[i] = 1000 * rank + i;
  shift(matrix, n, column, 1 - rank, 1 - rank, MPI_COMM_WORLD, 2, NULL, compute);
  for (int i = 0; i < n; ++i) {
    wrong += matrix[i * n] != 1000 * (1 - rank) + i * n + n - 1 + 2;
    wrong += matrix[i * n + 1] != 1000 * rank + i * n + 1 + 2;
  }
  FILE* const file = tmpfile();
  tell(file, column, 2);
  wrong += ftell(file) < 100;
  fclose(file);
  tw_plan_free(column);
  return wrong == 0 && used == 3 * n;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int here = with_session(right), everywhere, rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&here, &everywhere, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (rank == 0 && everywhere) printf("as the guide says\n");
  MPI_Finalize();
  return everywhere ? EXIT_SUCCESS : EXIT_FAILURE;
}
