// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/buffers.hpp"
#include "interpose/core/core.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/job.hpp"
#include "interpose/core/matched.hpp"
#include "interpose/core/operations.hpp"
#include "interpose/core/plans.hpp"
#include "interpose/core/statistics.hpp"

namespace typewarp::interpose {
namespace {

bool is_open = false;

// What cannot be had leaves the program to the MPI.
void open() noexcept {
  open_plans();
  open_errors();
  try {
    operations().open();
    matched_messages().open();
  } catch (const std::exception&) {
    return;
  }
  open_job();
  open_buffers();
  is_open = true;
}

// A program may have gone past us when it initialised the MPI.
void close() noexcept {
  close_buffers();
  if (is_open) {
    operations().close();
    close_job();
    matched_messages().close();
  }
  if (statistics_wanted()) print_statistics();
  close_plans();
}

using InitThread = int(int*, char***, int, int*);

int init(int* argc, char*** argv) noexcept {
  count_call(call::Init);
  int provided = MPI_THREAD_SINGLE;
  const int code = enter_job()
                       ? next<InitThread>(call::Init_thread)(argc, argv, MPI_THREAD_MULTIPLE, &provided)
                       : next<int(int*, char***)>(call::Init)(argc, argv);
  if (code == MPI_SUCCESS) open();
  return code;
}

int init_thread(int* argc, char*** argv, int required, int* provided) noexcept {
  count_call(call::Init_thread);
  const int asked = enter_job() ? MPI_THREAD_MULTIPLE : required;
  const int code = next<InitThread>(call::Init_thread)(argc, argv, asked, provided);
  if (code == MPI_SUCCESS) open();
  return code;
}

int finalize() noexcept {
  count_call(call::Finalize);
  close();
  return next<int()>(call::Finalize)();
}

}  // namespace

void take_lifecycle() noexcept {
  take(call::Init, init);
  take(call::Init_thread, init_thread);
  take(call::Finalize, finalize);
}

}  // namespace typewarp::interpose
