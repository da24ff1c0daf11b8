// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/transport.hpp>

#include "transport/core.hpp"

#include <typewarp/mpi.hpp>

#include <chrono>
#include <exception>
#include <thread>

namespace typewarp {
namespace {

using transport::Core;

void check(const TransportOptions& options, MPI_Comm comm) {
  constexpr const char* call = "typewarp::Transport";
  if (comm == MPI_COMM_NULL) {
    throw InvalidArgument(call, "comm", "MPI_COMM_NULL", "must be a communicator");
  }
  int between_groups = 0;
  mpi::check(MPI_Comm_test_inter(comm, &between_groups), "MPI_Comm_test_inter");
  if (between_groups != 0) {
    throw InvalidArgument(call, "comm", "an intercommunicator", "must be an intracommunicator");
  }
  const auto at_least = [&](const char* name, std::int64_t value, std::int64_t least) {
    if (value >= least) return;
    throw InvalidArgument(call, name, value, "must not be less than " + std::to_string(least));
  };
  at_least("options.eager_bytes", options.eager_bytes, transport::descriptor_bytes);
  at_least("options.chunk_bytes", options.chunk_bytes, transport::Chunks::least_chunk_bytes);
  at_least("options.pool_bytes", options.pool_bytes, 2 * transport::Chunks::least_chunk_bytes);
  at_least("options.time_limit", options.time_limit.count(), 0);
  int granted = MPI_THREAD_SINGLE;
  MPI_Query_thread(&granted);
  if (options.progress_thread && granted != MPI_THREAD_MULTIPLE) {
    throw InvalidArgument(call, "options.progress_thread", "true",
                          "needs an MPI that grants MPI_THREAD_MULTIPLE");
  }
}

// All ranks have to be done with the protocols before one may go on without. A rank that nobody meets gives
// up after its time limit.
void leave_together(Core& core) {
  const auto start = std::chrono::steady_clock::now();
  const std::chrono::milliseconds limit = core.options().time_limit;
  MPI_Request barrier = MPI_REQUEST_NULL;
  if (MPI_Ibarrier(core.comm(), &barrier) != MPI_SUCCESS) return;
  transport::Posted posted(barrier);
  while (!posted.test()) {
    core.progress.advance_some();
    std::this_thread::yield();
    if (limit == TransportOptions::no_time_limit) continue;
    if (std::chrono::steady_clock::now() - start > limit) return;
  }
}

}  // namespace

Transport::Transport(MPI_Comm comm, const TransportOptions& options) {
  check(options, comm);
  core_ = std::make_shared<Core>(comm, options);
  transport::set_current(core_);
  if (options.progress_thread) core_->progress.start_thread();
}

Transport::~Transport() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  core_->progress.stop_thread();
  try {
    // In a rank that fails, others may never come here.
    if (finalized == 0 && std::uncaught_exceptions() == 0) leave_together(*core_);
  } catch (const std::exception&) {
    // A destructor has nobody to tell.
  }
  transport::set_current(nullptr);
}

const TransportOptions& Transport::options() const noexcept { return core_->options(); }

}  // namespace typewarp
