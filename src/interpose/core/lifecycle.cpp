// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/core.hpp"
#include "interpose/core/plans.hpp"
#include "interpose/core/statistics.hpp"

namespace typewarp::interpose {
namespace {

int init(int* argc, char*** argv) noexcept {
  count_call(call::Init);
  const int code = next<int(int*, char***)>(call::Init)(argc, argv);
  if (code == MPI_SUCCESS) open_plans();
  return code;
}

int init_thread(int* argc, char*** argv, int required, int* provided) noexcept {
  count_call(call::Init_thread);
  const int code = next<int(int*, char***, int, int*)>(call::Init_thread)(argc, argv, required, provided);
  if (code == MPI_SUCCESS) open_plans();
  return code;
}

int finalize() noexcept {
  count_call(call::Finalize);
  if (statistics_wanted()) print_statistics();
  close_plans();
  return next<int()>(call::Finalize)();
}

}  // namespace

void take_lifecycle() noexcept {
  take(call::Init, init);
  take(call::Init_thread, init_thread);
  take(call::Finalize, finalize);
}

}  // namespace typewarp::interpose
