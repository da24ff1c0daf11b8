// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// What each call with MPI refuses, by the name that its header gives to the argument, but for halos, which
// are in arguments_test.cpp.
#include "check.h"

#include <typewarp_mpi.h>

static int rank;
static MPI_Comm comm;

static void datatypes(void) {
  tw_datatype* made = NULL;
  MPI_Datatype in_mpi = MPI_DATATYPE_NULL;
  int named = -5;
  REFUSED("from", tw_mpi_decode(MPI_DATATYPE_NULL, &made));
  REFUSED("datatype", tw_mpi_decode(MPI_INT, NULL));
  REFUSED("datatype", tw_mpi_encode(NULL, &in_mpi));
  REFUSED("to", tw_mpi_encode(tw_datatype_named(TW_INT), NULL));
  REFUSED("datatype", tw_mpi_is_named(MPI_DATATYPE_NULL, &named));
  REFUSED("named", tw_mpi_is_named(MPI_INT, NULL));
  CHECK(made == NULL && in_mpi == MPI_DATATYPE_NULL && named == -5);
}

static void messages(const tw_plan* plan) {
  double number = 1;
  tw_request* made = NULL;
  tw_status status = {.tag = -5};
  REFUSED("count", tw_send(&number, -1, plan, 0, 0, comm, NULL));
  REFUSED("buffer", tw_send(NULL, 1, plan, 0, 0, comm, NULL));
  REFUSED("plan", tw_send(&number, 1, NULL, 0, 0, comm, NULL));
  REFUSED("comm", tw_send(&number, 1, plan, 0, 0, MPI_COMM_NULL, NULL));
  REFUSED("count", tw_ssend(&number, -1, plan, 0, 0, comm, NULL));
  REFUSED("plan", tw_ssend(&number, 1, NULL, 0, 0, comm, NULL));
  REFUSED("comm", tw_ssend(&number, 1, plan, 0, 0, MPI_COMM_NULL, NULL));
  REFUSED("count", tw_recv(&number, -1, plan, 0, 0, comm, NULL, &status));
  REFUSED("buffer", tw_recv(NULL, 1, plan, 0, 0, comm, NULL, &status));
  REFUSED("plan", tw_recv(&number, 1, NULL, 0, 0, comm, NULL, &status));
  REFUSED("comm", tw_recv(&number, 1, plan, 0, 0, MPI_COMM_NULL, NULL, &status));
  REFUSED("send_plan", tw_sendrecv(&number, 1, NULL, 0, 0, &number, 1, plan, 0, 0, comm, NULL, &status));
  REFUSED("send_count", tw_sendrecv(&number, -1, plan, 0, 0, &number, 1, plan, 0, 0, comm, NULL, &status));
  REFUSED("recv_plan", tw_sendrecv(&number, 1, plan, 0, 0, &number, 1, NULL, 0, 0, comm, NULL, &status));
  REFUSED("recv_count", tw_sendrecv(&number, 1, plan, 0, 0, &number, -1, plan, 0, 0, comm, NULL, &status));
  REFUSED("count", tw_isend(&number, -1, plan, 0, 0, comm, NULL, &made));
  REFUSED("plan", tw_isend(&number, 1, NULL, 0, 0, comm, NULL, &made));
  REFUSED("comm", tw_isend(&number, 1, plan, 0, 0, MPI_COMM_NULL, NULL, &made));
  REFUSED("request", tw_isend(&number, 1, plan, 0, 0, comm, NULL, NULL));
  REFUSED("count", tw_issend(&number, -1, plan, 0, 0, comm, NULL, &made));
  REFUSED("plan", tw_issend(&number, 1, NULL, 0, 0, comm, NULL, &made));
  REFUSED("request", tw_issend(&number, 1, plan, 0, 0, comm, NULL, NULL));
  REFUSED("count", tw_irecv(&number, -1, plan, 0, 0, comm, NULL, &made));
  REFUSED("plan", tw_irecv(&number, 1, NULL, 0, 0, comm, NULL, &made));
  REFUSED("comm", tw_irecv(&number, 1, plan, 0, 0, MPI_COMM_NULL, NULL, &made));
  REFUSED("request", tw_irecv(&number, 1, plan, 0, 0, comm, NULL, NULL));
  REFUSED("count", tw_send_init(&number, -1, plan, 0, 0, comm, NULL, &made));
  REFUSED("plan", tw_send_init(&number, 1, NULL, 0, 0, comm, NULL, &made));
  REFUSED("request", tw_send_init(&number, 1, plan, 0, 0, comm, NULL, NULL));
  REFUSED("count", tw_ssend_init(&number, -1, plan, 0, 0, comm, NULL, &made));
  REFUSED("plan", tw_ssend_init(&number, 1, NULL, 0, 0, comm, NULL, &made));
  REFUSED("request", tw_ssend_init(&number, 1, plan, 0, 0, comm, NULL, NULL));
  REFUSED("count", tw_recv_init(&number, -1, plan, 0, 0, comm, NULL, &made));
  REFUSED("plan", tw_recv_init(&number, 1, NULL, 0, 0, comm, NULL, &made));
  REFUSED("request", tw_recv_init(&number, 1, plan, 0, 0, comm, NULL, NULL));
  CHECK(made == NULL && status.tag == -5 && number == 1);
}

static void requests(const tw_plan* plan) {
  tw_request* none[2] = {NULL, NULL};
  int flag = -5, index = -5, indices[2];
  int64_t number = -5;
  const tw_status status = {0};
  REFUSED("request", tw_request_wait(NULL, NULL));
  REFUSED("request", tw_request_test(NULL, &flag, NULL));
  REFUSED("complete", tw_request_test(none, NULL, NULL));
  REFUSED("ready", tw_request_ready(NULL, NULL));
  REFUSED("request", tw_request_start(NULL));
  REFUSED("count", tw_start_all(-1, none));
  REFUSED("requests", tw_start_all(1, NULL));
  REFUSED("requests[0]", tw_start_all(2, none));
  REFUSED("count", tw_wait_all(-1, none, NULL));
  REFUSED("requests", tw_wait_all(1, NULL, NULL));
  REFUSED("count", tw_test_all(-1, none, &flag, NULL));
  REFUSED("requests", tw_test_all(1, NULL, &flag, NULL));
  REFUSED("complete", tw_test_all(2, none, NULL, NULL));
  REFUSED("count", tw_wait_any(-1, none, &index, NULL));
  REFUSED("requests", tw_wait_any(1, NULL, &index, NULL));
  REFUSED("index", tw_wait_any(2, none, NULL, NULL));
  REFUSED("count", tw_test_any(-1, none, &index, NULL));
  REFUSED("requests", tw_test_any(1, NULL, &index, NULL));
  REFUSED("index", tw_test_any(2, none, NULL, NULL));
  REFUSED("count", tw_wait_some(-1, none, &flag, indices, NULL));
  REFUSED("requests", tw_wait_some(1, NULL, &flag, indices, NULL));
  REFUSED("done", tw_wait_some(2, none, NULL, indices, NULL));
  REFUSED("indices", tw_wait_some(2, none, &flag, NULL, NULL));
  REFUSED("count", tw_test_some(-1, none, &flag, indices, NULL));
  REFUSED("requests", tw_test_some(1, NULL, &flag, indices, NULL));
  REFUSED("done", tw_test_some(2, none, NULL, indices, NULL));
  REFUSED("indices", tw_test_some(2, none, &flag, NULL, NULL));
  REFUSED("status", tw_status_count(NULL, plan, &number));
  REFUSED("plan", tw_status_count(&status, NULL, &number));
  REFUSED("count", tw_status_count(&status, plan, NULL));
  REFUSED("status", tw_status_elements(NULL, plan, &number));
  REFUSED("plan", tw_status_elements(&status, NULL, &number));
  REFUSED("elements", tw_status_elements(&status, plan, NULL));
  CHECK(flag == -5 && index == -5 && number == -5);
  SUCCEEDS(tw_request_cancel(NULL));  // null is an inactive request
}

static void one_that_is_not_persistent(const tw_plan* plan) {
  double number = 1, got = 0;
  tw_request *receive = NULL, *send = NULL;
  SUCCEEDS(tw_irecv(&got, 1, plan, rank, 0, comm, NULL, &receive));
  REFUSED("request", tw_request_start(receive));
  SUCCEEDS(tw_isend(&number, 1, plan, rank, 0, comm, NULL, &send));
  REFUSED("requests[0]", tw_start_all(1, &send));
  SUCCEEDS(tw_request_wait(&receive, NULL));
  SUCCEEDS(tw_request_wait(&send, NULL));
  CHECK(got == 1);
}

static void probes(const tw_plan* plan) {
  double number = 1;
  tw_message* message = NULL;
  tw_request* request = NULL;
  int found = -5;
  REFUSED("comm", tw_probe(0, 0, MPI_COMM_NULL, NULL));
  REFUSED("comm", tw_iprobe(0, 0, MPI_COMM_NULL, &found, NULL));
  REFUSED("found", tw_iprobe(0, 0, comm, NULL, NULL));
  REFUSED("comm", tw_mprobe(0, 0, MPI_COMM_NULL, &message, NULL));
  REFUSED("message", tw_mprobe(0, 0, comm, NULL, NULL));
  REFUSED("comm", tw_improbe(0, 0, MPI_COMM_NULL, &message, NULL));
  REFUSED("message", tw_improbe(0, 0, comm, NULL, NULL));
  REFUSED("message", tw_imrecv(&number, 1, plan, NULL, comm, NULL, &request));
  REFUSED("*message", tw_imrecv(&number, 1, plan, &message, comm, NULL, &request));
  SUCCEEDS(tw_mprobe(MPI_PROC_NULL, 0, comm, &message, NULL));
  REFUSED("plan", tw_imrecv(&number, 1, NULL, &message, comm, NULL, &request));
  REFUSED("request", tw_imrecv(&number, 1, plan, &message, comm, NULL, NULL));
  REFUSED("count", tw_imrecv(&number, -1, plan, &message, comm, NULL, &request));
  CHECK(found == -5 && message != NULL && request == NULL);
  SUCCEEDS(tw_imrecv(&number, 1, plan, &message, comm, NULL, &request));
  SUCCEEDS(tw_request_wait(&request, NULL));
  CHECK(number == 1 && message == NULL);
}

// Before anything has started, so all ranks must be wrong alike.
static void exchanges(const tw_plan* plan) {
  double number = 1;
  tw_request* request = NULL;
  const tw_send_part sends[2] = {{&number, 1, plan}, {&number, 1, plan}};
  const tw_recv_part receives[2] = {{&number, 1, plan}, {&number, 1, plan}};
  const tw_send_part no_plan[2] = {{&number, 1, plan}, {&number, 1, NULL}};
  const tw_recv_part no_count[2] = {{&number, 1, plan}, {&number, -1, plan}};
  REFUSED("send_count", tw_alltoallw(-1, sends, 2, receives, comm, NULL));
  REFUSED("send_count", tw_alltoallw(1, sends, 2, receives, comm, NULL));
  REFUSED("sends", tw_alltoallw(2, NULL, 2, receives, comm, NULL));
  REFUSED("sends[1].plan", tw_alltoallw(2, no_plan, 2, receives, comm, NULL));
  REFUSED("recv_count", tw_alltoallw(2, sends, 1, receives, comm, NULL));
  REFUSED("receives", tw_alltoallw(2, sends, 2, NULL, comm, NULL));
  REFUSED("receives[1].count", tw_alltoallw(2, sends, 2, no_count, comm, NULL));
  REFUSED("comm", tw_alltoallw(2, sends, 2, receives, MPI_COMM_NULL, NULL));
  REFUSED("recv_count", tw_ialltoallw(2, sends, -1, receives, comm, NULL, &request));
  REFUSED("request", tw_ialltoallw(2, sends, 2, receives, comm, NULL, NULL));
  REFUSED("comm", tw_neighbor_alltoallw(2, sends, 2, receives, comm, NULL));
  REFUSED("sends[1].plan", tw_neighbor_alltoallw(2, no_plan, 2, receives, comm, NULL));
  REFUSED("comm", tw_ineighbor_alltoallw(2, sends, 2, receives, comm, NULL, &request));
  REFUSED("request", tw_ineighbor_alltoallw(2, sends, 2, receives, comm, NULL, NULL));
  CHECK(request == NULL && number == 1);
}

static void sessions(void) {
  tw_session* session = NULL;
  tw_session_options options;
  int possible = -5;
  REFUSED("options", tw_session_options_default(NULL));
  REFUSED("options", tw_session_options_from_environment(NULL));
  REFUSED("comm", tw_session_create(MPI_COMM_NULL, NULL, &session));
  REFUSED("session", tw_session_create(comm, NULL, NULL));
  SUCCEEDS(tw_session_options_default(&options));
  options.chunk_bytes = 0;
  REFUSED("options.chunk_bytes", tw_session_create(comm, &options, &session));
  SUCCEEDS(tw_session_options_default(&options));
  options.protocol = rank == 1 ? TW_PROTOCOL_UCX + 1 : TW_PROTOCOL_EAGER;
  if (rank == 1) {
    REFUSED("options.protocol", tw_session_create(comm, &options, &session));
  } else {
    CHECK(tw_session_create(comm, &options, &session) == TW_ERR_DISAGREEMENT);
  }
  REFUSED("session", tw_session_get_options(NULL, &options));
  REFUSED("session", tw_session_possible(NULL, TW_PROTOCOL_EAGER, &possible));
  CHECK(session == NULL);
  SUCCEEDS(tw_session_create(comm, NULL, &session));
  REFUSED("options", tw_session_get_options(session, NULL));
  REFUSED("protocol", tw_session_possible(session, -1, &possible));
  REFUSED("possible", tw_session_possible(session, TW_PROTOCOL_EAGER, NULL));
  CHECK(possible == -5);
  tw_session_free(session);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(comm, &rank);
  tw_plan* plan = NULL;
  SUCCEEDS(tw_plan_commit(tw_datatype_named(TW_DOUBLE), &plan));
  datatypes();
  messages(plan);
  requests(plan);
  one_that_is_not_persistent(plan);
  probes(plan);
  exchanges(plan);
  sessions();
  tw_plan_free(plan);
  int anywhere = 0;
  MPI_Allreduce(&failures, &anywhere, 1, MPI_INT, MPI_SUM, comm);
  failures = anywhere;
  const int status = rank == 0 ? finish() : anywhere != 0;
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return status;
}
