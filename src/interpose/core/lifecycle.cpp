// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/buffers.hpp"
#include "interpose/core/core.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/operations.hpp"
#include "interpose/core/plans.hpp"
#include "interpose/core/statistics.hpp"

namespace typewarp::interpose {
namespace {

// What cannot be had leaves the program to the MPI.
void open() noexcept {
  open_plans();
  open_errors();
  try {
    operations().open();
    open_buffers();
  } catch (const std::exception&) {
    close_buffers();
  }
}

void close() noexcept {
  close_buffers();
  try {
    operations().close();
  } catch (const std::exception&) {
    // The MPI is about to end: nobody could do anything about it.
  }
  if (statistics_wanted()) print_statistics();
  close_plans();
}

int init(int* argc, char*** argv) noexcept {
  count_call(call::Init);
  const int code = next<int(int*, char***)>(call::Init)(argc, argv);
  if (code == MPI_SUCCESS) open();
  return code;
}

int init_thread(int* argc, char*** argv, int required, int* provided) noexcept {
  count_call(call::Init_thread);
  const int code = next<int(int*, char***, int, int*)>(call::Init_thread)(argc, argv, required, provided);
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
