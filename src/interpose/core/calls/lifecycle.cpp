// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/observe/statistics_report.hpp"
#include "interpose/core/buffers/buffers.hpp"
#include "interpose/core/core.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/collectives/refusal.hpp"
#include "interpose/core/job/job.hpp"
#include "interpose/core/requests/matched.hpp"
#include "interpose/core/observe/observed.hpp"
#include "interpose/core/requests/operations.hpp"
#include "interpose/core/buffers/plans.hpp"
#include "interpose/core/buffers/streams.hpp"
#include "interpose/core/observe/trace.hpp"
#include "transport/protocol/select/protocol_row.hpp"
#include "transport/session.hpp"

namespace typewarp::interpose {
namespace {

bool is_open = false;

void open_observation() noexcept {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (observing().trace) trace().open(rank);
  transport::Traffic::counted = observing().statistics;
}

// What cannot be had leaves the program to the MPI.
void open() noexcept {
  open_plans();
  open_errors();
  open_refusal();
  open_observation();
  try {
    operations().open();
    matched_messages().open();
  } catch (const std::exception&) {
    return;
  }
  open_job();
  if (const auto session = transport::current()) operations().complete_by(session->progress);
  open_streams();
  open_buffers();
  is_open = true;
}

// A program may have gone past us when it initialised the MPI.
void close() noexcept {
  close_buffers();
  if (is_open) {
    operations().close(worth_waiting);
    close_job();
    matched_messages().close();
  }
  report_statistics();
  trace().close();
  close_streams();
  close_plans();
}

using InitThread = int(int*, char***, int, int*);

int init(int* argc, char*** argv) noexcept {
  int provided = MPI_THREAD_SINGLE;
  const int code = enter_job(MPI_THREAD_SINGLE)
                       ? next<InitThread>(call::Init_thread)(argc, argv, MPI_THREAD_MULTIPLE, &provided)
                       : hand_on(call::Init, argc, argv);
  if (code == MPI_SUCCESS) open();
  return code;
}

int init_thread(int* argc, char*** argv, int required, int* provided) noexcept {
  const int asked = enter_job(required) ? MPI_THREAD_MULTIPLE : required;
  const int code = next<InitThread>(call::Init_thread)(argc, argv, asked, provided);
  if (code == MPI_SUCCESS) open();
  return code;
}

int finalize() noexcept {
  close();
  return hand_on(call::Finalize);
}

}  // namespace

void take_lifecycle() noexcept {
  take(call::Init, init);
  take(call::Init_thread, init_thread);
  take(call::Finalize, finalize);
}

}  // namespace typewarp::interpose
