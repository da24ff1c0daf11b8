// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Messages between two ranks from C, with a session and without: columns of a matrix arrive as rows.
#include "check.h"

#include <typewarp_mpi.h>

enum { rows = 4, columns = 3, cells = rows * columns, tag = 7, never_sent = 99 };

static int rank, partner;
static MPI_Comm comm;
static tw_plan *column, *row;

static void fill(double* matrix) {
  for (int i = 0; i < cells; ++i) matrix[i] = 100 * rank + i;
}

/// Whether that is column `number` of the partner's matrix.
static int came(const double* got, int number) {
  for (int i = 0; i < rows; ++i) {
    if (got[i] != 100 * partner + i * columns + number) return 0;
  }
  return 1;
}

static int is_whole(const tw_status* status) {
  int64_t count = -1, elements = -1;
  SUCCEEDS(tw_status_count(status, column, &count));
  SUCCEEDS(tw_status_elements(status, column, &elements));
  return status->source == partner && status->tag == tag && status->cancelled == 0 && count == 1 &&
         elements == rows && status->bytes == (int64_t)(rows * sizeof(double));
}

static void blocking(const double* matrix) {
  double got[rows] = {0};
  tw_status status = {0};
  if (rank == 0) {
    SUCCEEDS(tw_send(matrix + 1, 1, column, partner, tag, comm, NULL));
    SUCCEEDS(tw_recv(got, 1, row, partner, tag, comm, NULL, &status));
  } else {
    SUCCEEDS(tw_recv(got, 1, row, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, NULL, &status));
    SUCCEEDS(tw_ssend(matrix + 1, 1, column, partner, tag, comm, NULL));
  }
  CHECK(came(got, 1) && is_whole(&status));
  memset(&status, 0, sizeof status);
  SUCCEEDS(tw_sendrecv(matrix + 2, 1, column, partner, tag, got, 1, row, partner, tag, comm, NULL, &status));
  CHECK(came(got, 2) && is_whole(&status));
  SUCCEEDS(tw_sendrecv(matrix, 1, column, partner, tag, got, 1, row, partner, tag, comm, NULL, NULL));
  CHECK(came(got, 0));
}

static void nonblocking(const double* matrix) {
  double got[rows] = {0};
  tw_status status = {0};
  tw_request *receive = NULL, *send = NULL;
  SUCCEEDS(tw_irecv(got, 1, row, partner, tag, comm, NULL, &receive));
  SUCCEEDS(tw_isend(matrix + 1, 1, column, partner, tag, comm, NULL, &send));
  SUCCEEDS(tw_request_wait(&receive, &status));
  CHECK(receive == NULL && came(got, 1) && is_whole(&status));
  SUCCEEDS(tw_request_wait(&send, NULL));
  CHECK(send == NULL);

  memset(&status, 0, sizeof status);
  SUCCEEDS(tw_irecv(got, 1, row, partner, tag, comm, NULL, &receive));
  SUCCEEDS(tw_issend(matrix + 2, 1, column, partner, tag, comm, NULL, &send));
  int complete = 0, ready = 0;
  while (!ready) {
    SUCCEEDS(tw_request_ready(receive, &ready));
    SUCCEEDS(tw_progress());
  }
  SUCCEEDS(tw_request_test(&receive, &complete, &status));
  CHECK(complete == 1 && receive == NULL && came(got, 2) && is_whole(&status));
  for (complete = 0; !complete;) SUCCEEDS(tw_request_test(&send, &complete, NULL));
  CHECK(send == NULL);

  SUCCEEDS(tw_request_wait(&receive, &status));  // null is complete, and empty
  CHECK(status.source == MPI_ANY_SOURCE && status.bytes == 0);
  SUCCEEDS(tw_irecv(got, 1, row, partner, never_sent, comm, NULL, &receive));
  SUCCEEDS(tw_request_test(&receive, &complete, &status));
  CHECK(complete == 0 && receive != NULL);
  SUCCEEDS(tw_request_cancel(receive));
  SUCCEEDS(tw_request_wait(&receive, &status));
  CHECK(status.cancelled == 1 && receive == NULL);
}

/// Requests of one message each way, columns 0, 1 and 2, receives first.
static void start(const double* matrix, double (*got)[rows], tw_request** requests) {
  memset(got, 0, 3 * sizeof *got);
  for (int i = 0; i < 3; ++i) {
    SUCCEEDS(tw_irecv(got[i], 1, row, partner, tag + i, comm, NULL, &requests[i]));
  }
  for (int i = 0; i < 3; ++i) {
    SUCCEEDS(tw_isend(matrix + i, 1, column, partner, tag + i, comm, NULL, &requests[3 + i]));
  }
}

static int all_came(double (*got)[rows], tw_request** requests) {
  for (int i = 0; i < 6; ++i) {
    if (requests[i] != NULL) return 0;
  }
  return came(got[0], 0) && came(got[1], 1) && came(got[2], 2);
}

static void many(const double* matrix) {
  double got[3][rows];
  tw_request* requests[6];
  tw_status statuses[6];
  start(matrix, got, requests);
  SUCCEEDS(tw_wait_all(6, requests, statuses));
  CHECK(all_came(got, requests) && is_whole(&statuses[0]) && statuses[2].tag == tag + 2);

  start(matrix, got, requests);
  for (int complete = 0; !complete;) SUCCEEDS(tw_test_all(6, requests, &complete, NULL));
  CHECK(all_came(got, requests));

  int seen = 0;
  start(matrix, got, requests);
  for (int index = 0; index >= 0;) {
    SUCCEEDS(tw_wait_any(6, requests, &index, statuses));
    if (index < 0) continue;
    CHECK(requests[index] == NULL);
    CHECK(index > 2 || statuses[0].tag == tag + index);
    ++seen;
  }
  CHECK(seen == 6 && all_came(got, requests));

  start(matrix, got, requests);
  for (seen = 0; seen < 6;) {
    int index = 0;
    SUCCEEDS(tw_test_any(6, requests, &index, NULL));
    if (index >= 0) ++seen;
  }
  CHECK(all_came(got, requests));

  int done = 0, indices[6];
  start(matrix, got, requests);
  for (seen = 0; seen < 6; seen += done) {
    SUCCEEDS(tw_wait_some(6, requests, &done, indices, statuses));
    CHECK(done > 0);
    for (int i = 0; i < done; ++i) CHECK(requests[indices[i]] == NULL);
  }
  CHECK(all_came(got, requests));
  SUCCEEDS(tw_wait_some(6, requests, &done, indices, NULL));
  CHECK(done == 0);

  start(matrix, got, requests);
  for (seen = 0; seen < 6; seen += done) SUCCEEDS(tw_test_some(6, requests, &done, indices, statuses));
  CHECK(all_came(got, requests));
}

// A request that stands there twice is refused, and both stay.
static void twice(const double* matrix) {
  double got[rows] = {0};
  tw_request *receive = NULL, *send = NULL;
  SUCCEEDS(tw_irecv(got, 1, row, partner, tag, comm, NULL, &receive));
  SUCCEEDS(tw_isend(matrix, 1, column, partner, tag, comm, NULL, &send));
  tw_request* requests[] = {receive, send, receive};
  REFUSED("requests[2]", tw_wait_all(3, requests, NULL));
  CHECK(requests[0] == receive && requests[1] == send && requests[2] == receive);
  SUCCEEDS(tw_wait_all(2, requests, NULL));
  CHECK(came(got, 0));
}

static void persistent(double* matrix) {
  double got[rows];
  tw_request* requests[3] = {NULL, NULL, NULL};
  SUCCEEDS(tw_recv_init(got, 1, row, partner, tag, comm, NULL, &requests[0]));
  SUCCEEDS(tw_send_init(matrix + 1, 1, column, partner, tag, comm, NULL, &requests[1]));
  SUCCEEDS(tw_ssend_init(matrix + 2, 1, column, partner, tag, comm, NULL, &requests[2]));
  for (int step = 0; step < 3; ++step) {
    memset(got, 0, sizeof got);
    SUCCEEDS(tw_start_all(2, requests));
    REFUSED("requests[0]", tw_start_all(1, requests));
    SUCCEEDS(tw_wait_all(2, requests, NULL));
    CHECK(came(got, 1) && requests[0] != NULL && requests[1] != NULL);
    SUCCEEDS(tw_request_start(requests[0]));
    SUCCEEDS(tw_request_start(requests[2]));
    SUCCEEDS(tw_request_wait(&requests[0], NULL));
    SUCCEEDS(tw_request_wait(&requests[2], NULL));
    CHECK(came(got, 2) && requests[0] != NULL && requests[2] != NULL);
  }
  for (int i = 0; i < 3; ++i) tw_request_free(requests[i]);
  tw_request_free(NULL);
}

static void probes(const double* matrix) {
  double got[rows] = {0};
  tw_status status = {0};
  tw_request *send = NULL, *receive = NULL;
  tw_message* message = (tw_message*)&status;  // is set to null
  SUCCEEDS(tw_improbe(partner, never_sent, comm, &message, NULL));
  CHECK(message == NULL);
  SUCCEEDS(tw_isend(matrix, 1, column, partner, tag, comm, NULL, &send));
  SUCCEEDS(tw_probe(partner, tag, comm, &status));
  CHECK(is_whole(&status));
  int found = 0;
  memset(&status, 0, sizeof status);
  SUCCEEDS(tw_iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &found, &status));
  CHECK(found == 1 && is_whole(&status));
  memset(&status, 0, sizeof status);
  SUCCEEDS(tw_mprobe(partner, tag, comm, &message, &status));
  CHECK(message != NULL && is_whole(&status));
  SUCCEEDS(tw_iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &found, &status));
  CHECK(found == 0);
  REFUSED("count", tw_imrecv(got, -1, row, &message, comm, NULL, &receive));
  CHECK(message != NULL && receive == NULL);  // still to be received
  SUCCEEDS(tw_imrecv(got, 1, row, &message, comm, NULL, &receive));
  SUCCEEDS(tw_request_wait(&receive, NULL));
  CHECK(message == NULL && came(got, 0));
  SUCCEEDS(tw_request_wait(&send, NULL));
  MPI_Barrier(comm);

  SUCCEEDS(tw_isend(matrix + 1, 1, column, partner, tag, comm, NULL, &send));
  memset(&status, 0, sizeof status);
  while (message == NULL) SUCCEEDS(tw_improbe(partner, tag, comm, &message, &status));
  CHECK(is_whole(&status));
  SUCCEEDS(tw_imrecv(got, 1, row, &message, comm, NULL, &receive));
  SUCCEEDS(tw_request_wait(&receive, NULL));
  CHECK(came(got, 1));
  SUCCEEDS(tw_request_wait(&send, NULL));
}

static void exchanges(const double* matrix) {
  double got[2][rows];
  const tw_send_part sends[2] = {{matrix, 1, column}, {matrix + 1, 1, column}};
  const tw_recv_part receives[2] = {{got[0], 1, row}, {got[1], 1, row}};
  tw_request* request = NULL;
  for (int blocking = 0; blocking < 2; ++blocking) {
    memset(got, 0, sizeof got);
    if (blocking) {
      SUCCEEDS(tw_alltoallw(2, sends, 2, receives, comm, NULL));
    } else {
      SUCCEEDS(tw_ialltoallw(2, sends, 2, receives, comm, NULL, &request));
      SUCCEEDS(tw_request_wait(&request, NULL));
    }
    CHECK(came(got[partner], rank) && got[rank][1] == 100 * rank + columns + rank);
  }
  MPI_Comm ring;
  MPI_Cart_create(comm, 1, (int[]){2}, (int[]){1}, 0, &ring);
  for (int blocking = 0; blocking < 2; ++blocking) {
    memset(got, 0, sizeof got);
    if (blocking) {
      SUCCEEDS(tw_neighbor_alltoallw(2, sends, 2, receives, ring, NULL));
    } else {
      SUCCEEDS(tw_ineighbor_alltoallw(2, sends, 2, receives, ring, NULL, &request));
      SUCCEEDS(tw_request_wait(&request, NULL));
    }
    CHECK(came(got[0], 1) && came(got[1], 0));  // what is sent down comes from above
  }
  MPI_Comm_free(&ring);
}

static void datatypes(void) {
  tw_datatype *derived = NULL, *decoded = NULL;
  SUCCEEDS(tw_datatype_vector(rows, 1, columns, tw_datatype_named(TW_DOUBLE), &derived));
  MPI_Datatype in_mpi = MPI_DATATYPE_NULL;
  int named = -1, bytes = -1, same = -1;
  SUCCEEDS(tw_mpi_encode(derived, &in_mpi));
  MPI_Type_size(in_mpi, &bytes);
  CHECK(bytes == (int)(rows * sizeof(double)));
  SUCCEEDS(tw_mpi_is_named(in_mpi, &named));
  CHECK(named == 0);
  SUCCEEDS(tw_mpi_decode(in_mpi, &decoded));
  MPI_Type_free(&in_mpi);
  SUCCEEDS(tw_datatype_same_signature(derived, decoded, &same));
  char one[200] = "", other[200] = "?";
  SUCCEEDS(tw_datatype_to_string(derived, one, sizeof one, NULL));
  SUCCEEDS(tw_datatype_to_string(decoded, other, sizeof other, NULL));
  CHECK(same == 1 && strcmp(one, other) == 0);
  SUCCEEDS(tw_mpi_is_named(MPI_INT, &named));
  CHECK(named == 1);
  tw_datatype_free(derived);
  tw_datatype_free(decoded);
}

// The error is the MPI's own, and ends the request.
static void truncation(const double* matrix) {
  double got[rows];
  tw_status status = {.tag = -5};
  tw_request *send = NULL, *receive = NULL;
  tw_datatype* shorter = NULL;
  tw_plan* half = NULL;
  SUCCEEDS(tw_datatype_vector(rows / 2, 1, 2, tw_datatype_named(TW_DOUBLE), &shorter));
  SUCCEEDS(tw_plan_commit(shorter, &half));
  SUCCEEDS(tw_irecv(got, 1, half, partner, tag, comm, NULL, &receive));
  MPI_Barrier(comm);
  SUCCEEDS(tw_isend(matrix, 1, column, partner, tag, comm, NULL, &send));
  CHECK(tw_request_wait(&receive, &status) == TW_ERR_MPI);
  int error_class = MPI_SUCCESS;
  MPI_Error_class(tw_error_code(), &error_class);
  CHECK(error_class == MPI_ERR_TRUNCATE && strcmp(tw_error_argument(), "") == 0);
  CHECK(receive == NULL && status.tag == -5);
  SUCCEEDS(tw_request_wait(&send, NULL));
  tw_datatype_free(shorter);
  tw_plan_free(half);
}

static void all(void) {
  double matrix[cells];
  fill(matrix);
  blocking(matrix);
  nonblocking(matrix);
  many(matrix);
  twice(matrix);
  persistent(matrix);
  probes(matrix);
  exchanges(matrix);
  truncation(matrix);
}

static void sessions(void) {
  tw_session_options options, default_options, in_force;
  SUCCEEDS(tw_session_options_default(&default_options));
  SUCCEEDS(tw_session_options_from_environment(&options));
  options.protocol = TW_PROTOCOL_PIPELINED;
  options.eager_bytes = 1000 + rank;
  options.time_limit = 60000;
  tw_session *session = NULL, *second = NULL;
  SUCCEEDS(tw_session_create(comm, &options, &session));
  SUCCEEDS(tw_session_get_options(session, &in_force));
  CHECK(in_force.eager_bytes == 1000 && in_force.protocol == TW_PROTOCOL_PIPELINED);
  CHECK(in_force.chunk_bytes == options.chunk_bytes && in_force.time_limit == 60000);
  CHECK(default_options.eager_bytes == 16 << 10 && default_options.time_limit == 0);
  int possible = -1;
  SUCCEEDS(tw_session_possible(session, TW_PROTOCOL_EAGER, &possible));
  CHECK(possible == 1);
  CHECK(tw_session_create(comm, &options, &second) == TW_ERR_OTHER && second == NULL);
  all();
  tw_session_free(session);
  SUCCEEDS(tw_session_create(comm, NULL, &session));
  all();
  tw_session_free(session);
  tw_session_free(NULL);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(comm, &rank);
  partner = 1 - rank;
  tw_datatype *strided = NULL, *dense = NULL;
  SUCCEEDS(tw_datatype_vector(rows, 1, columns, tw_datatype_named(TW_DOUBLE), &strided));
  SUCCEEDS(tw_datatype_contiguous(rows, tw_datatype_named(TW_DOUBLE), &dense));
  SUCCEEDS(tw_plan_commit(strided, &column));
  SUCCEEDS(tw_plan_commit(dense, &row));
  tw_datatype_free(strided);
  tw_datatype_free(dense);
  datatypes();
  all();
  sessions();
  tw_plan_free(column);
  tw_plan_free(row);
  int anywhere = 0;
  MPI_Allreduce(&failures, &anywhere, 1, MPI_INT, MPI_SUM, comm);
  failures = anywhere;
  const int status = rank == 0 ? finish() : anywhere != 0;
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return status;
}
