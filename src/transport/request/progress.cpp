// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/request/progress.hpp"

#include "engine/device/gpu.hpp"
#include "transport/channel/gpu/gpu_channel.hpp"
#include "transport/mpi/wait_loop.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>
#include <vector>

namespace typewarp::transport {
namespace {

thread_local bool serves_progress = false;

// How long the progress thread sleeps between two rounds: short compared to a chunk's transfer, long compared
// to a round.
constexpr std::chrono::microseconds rest{20};

// Some microseconds: a look takes less than 0.1.
constexpr unsigned rounds_between_looks = 16;

// Of exhaust(): a few suffice unless a peer sends all the time.
constexpr int most_passes = 64;

// Compared to longer messages, it costs nothing to be put in the list and to wake the progress thread.
constexpr std::chrono::microseconds patience{100};

}  // namespace

void Progress::advance(std::span<Operation*> operations) {
  if (others_.link != nullptr) others_.link->progress();
  run(operations_.claim(operations));
}

void Progress::Others::drive() {
  if (link != nullptr) link->progress();
  if (comm == MPI_COMM_NULL) return;
  if (rounds.fetch_add(1, std::memory_order_relaxed) % rounds_between_looks != 0) return;
  int there = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &there, MPI_STATUS_IGNORE);
}

void Progress::advance_some(std::size_t moved) {
  others_.drive();
  std::array<Operation*, at_a_time> room;
  const ActiveOperations::Claimed claimed = operations_.claim_next(room, moved, gather_policy.turn);
  run(claimed.operations);
  if (claimed.is_turn_over) gather_.turn();
}

void Progress::exhaust() {
  std::vector<Operation*> claimed;
  for (int pass = 0; pass < most_passes; ++pass) {
    const std::uint64_t before = steps();
    others_.drive();
    claimed.clear();
    const std::vector<std::shared_ptr<Operation>> busy = operations_.claim_all(claimed);
    for (Operation* const operation : claimed) operation->advance(false);
    const bool some_ended = std::ranges::any_of(claimed, &Operation::over);
    operations_.release(claimed);
    gather_.turn();
    for (const std::shared_ptr<Operation>& operation : busy)
      wait_until([&] { return operations_.is_free(*operation); }, yield_each_time);
    if (busy.empty() && !some_ended && steps() == before) return;
  }
}

void Progress::cancel(Operation& operation) {
  if (!operations_.wait_and_claim(operation)) return;
  operation.cancel();
  run(std::array{&operation});
}

void Progress::give_up(Operation& operation, std::exception_ptr why) {
  if (!operations_.wait_and_claim(operation)) return;
  operation.give_up(std::move(why));
  run(std::array{&operation});
}

void Progress::run(std::span<Operation* const> claimed) {
  for (Operation* const operation : claimed) operation->advance(false);
  operations_.release(claimed);
}

bool in_progress_thread() noexcept { return serves_progress; }

void Progress::start_thread() {
  // To choose a device would create a context on it, which the program may never need.
  const int device = gpu::has_context() ? gpu::current_device() : -1;
  thread_ = std::jthread([this, device](const std::stop_token& stop) { serve(stop, device); });
}

void Progress::stop_thread() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

void Progress::serve(const std::stop_token& stop, int device) {
  serves_progress = true;
  try {
    if (device >= 0) gpu::make_current(device);
  } catch (const GpuError&) {
    // Then each call that needs a device chooses it.
  }
  while (!stop.stop_requested()) {
    if (!operations_.wait(stop)) return;
    try {
      advance_some();
      if (also_ && also_()) nudge();
    } catch (const std::exception&) {
      nudge();  // nothing is lost: the next round does it, and a call of the program that fails so tells
    }
    std::this_thread::sleep_for(rest);
  }
}

Request Begun::request() && {
  std::shared_ptr<Operation> operation = place_.front();
  if (operation->home()) operation->home()->add(std::move(place_));
  return Internal::request(std::move(operation));
}

Status Begun::wait() && {
  if (!brought_to_end()) return std::move(*this).request().wait();
  const std::shared_ptr<Operation> operation = place_.front();
  if (operation->lost()) ActiveOperations::keep(std::move(place_));
  return operation->result();
}

bool Begun::brought_to_end() {
  Operation& operation = *place_.front();
  if (!operation.home()) return false;
  const auto end = std::chrono::steady_clock::now() + patience;
  for (WaitLoop loop; !operation.advance(false);) {
    operation.home()->advance_some();
    if (loop.again() && std::chrono::steady_clock::now() > end) return false;
  }
  return true;
}

}  // namespace typewarp::transport
