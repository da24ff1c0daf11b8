// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/reductions/direct_peers.hpp"

#include "engine/runtime/event.hpp"
#include "interpose/core/job/job.hpp"
#include "schedule/streams/over_mpi/mpi_group.hpp"

#include <typewarp/error.hpp>
#include <typewarp/mpi.hpp>

#include <chrono>
#include <string>
#include <thread>

namespace typewarp::interpose {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

exchange::ExchangeGroup& DirectPeers::group() {
  if (!group_) group_ = std::make_unique<exchange::MpiGroup>(comm_);
  return *group_;
}

void DirectPeers::together(FunctionRef<void()> step) {
  exchange::together(group(), [&] {
    try {
      step();
    } catch (const MpiError& failure) {
      throw Error(failure.what());
    }
  });
}

/// Where threads make calls at once, these may come to a stream in another order in each rank, and kernels
/// that wait for each other must not stand behind each other.
Stream DirectPeers::stream_behind(Stream stream, int device) {
  if (!program_has_threads() || device < 0) return stream;
  if (stream_device_ != device) {
    stream_.reset();
    stream_.emplace(device);
    stream_device_ = device;
  }
  gpu::Event(device, stream).hold(stream_->get());
  return stream_->get();
}

void DirectPeers::wait(CommAgreement& agreement, FunctionRef<bool()> is_done, FunctionRef<void()> check) {
  constexpr std::chrono::milliseconds between_questions{1};
  Clock::time_point asked = Clock::now();
  const auto limit = drive_until(is_done, [&] {
    if (agreement.is_given_up()) throw Error("typewarp: another rank failed in this call");
    if (Clock::now() - asked <= between_questions) return;
    check();
    asked = Clock::now();
  });
  if (!limit) return;
  throw TimeLimitExceeded("typewarp: a collective call took longer than " + std::to_string(limit->count()) +
                              " ms (TYPEWARP_TIME_LIMIT_MS)",
                          MPI_ANY_SOURCE);
}

// Each time lets a stream come to its next wait.
void DirectPeers::give_up(CommAgreement& agreement, FunctionRef<bool()> is_done,
                          FunctionRef<void()> release) noexcept {
  constexpr std::chrono::seconds most{5};
  agreement.give_up();
  try {
    for (const auto begin = Clock::now(); !is_done() && Clock::now() - begin < most;) {
      release();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  } catch (const GpuError&) {  // nothing waits on a device that has failed
  }
}

}  // namespace typewarp::interpose
