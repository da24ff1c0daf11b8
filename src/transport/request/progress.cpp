// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/request/progress.hpp"

#include "base/never_destroyed.hpp"
#include "engine/device/gpu.hpp"
#include "transport/channel/gpu/gpu_channel.hpp"
#include "transport/mpi/wait_loop.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
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

void Progress::keep(Place lost) noexcept {
  static NeverDestroyed<Place> kept;
  static constinit std::mutex mutex;
  const std::lock_guard lock(mutex);
  kept.get().splice(kept.get().end(), lost);
}

void Progress::add(Place place) noexcept {
  {
    const std::lock_guard lock(mutex_);
    place.front()->place_ = place.begin();
    active_.splice(active_.end(), place);
  }
  wake_.notify_one();
}

void Progress::advance(std::span<Operation*> operations) {
  if (others_.link != nullptr) others_.link->progress();
  std::size_t count = 0;
  {
    const std::lock_guard lock(mutex_);
    for (Operation* const operation : operations) {
      if (operation->claimed_ || operation->over()) continue;
      operation->claimed_ = true;
      operations[count++] = operation;
    }
  }
  run(operations.first(count));
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
  std::array<Operation*, at_a_time> chosen;
  std::size_t count = 0;
  bool all_had_their_turn = false;
  {
    const std::lock_guard lock(mutex_);
    const std::size_t most = active_.size() > moved ? std::min(at_a_time, active_.size()) : 0;
    in_this_turn_ = most == 0 ? active_.size() : in_this_turn_ + most;
    all_had_their_turn = in_this_turn_ >= std::min(active_.size(), gather_policy.turn);
    if (all_had_their_turn) in_this_turn_ = 0;
    for (std::size_t seen = 0; seen < most; ++seen) {
      if (next_ == active_.end()) next_ = active_.begin();
      Operation* const operation = (next_++)->get();
      if (operation->claimed_) continue;
      operation->claimed_ = true;
      chosen[count++] = operation;
    }
  }
  run(std::span(chosen).first(count));
  if (all_had_their_turn) gather_.turn();
}

void Progress::exhaust() {
  std::vector<Operation*> claimed;
  for (int pass = 0; pass < most_passes; ++pass) {
    const std::uint64_t before = steps();
    others_.drive();
    claimed.clear();
    const std::vector<std::shared_ptr<Operation>> busy = claim_all(claimed);
    for (Operation* const operation : claimed) operation->advance(false);
    const bool some_ended = std::ranges::any_of(claimed, &Operation::over);
    release(claimed);
    gather_.turn();
    await(busy);
    if (busy.empty() && !some_ended && steps() == before) return;
  }
}

std::vector<std::shared_ptr<Operation>> Progress::claim_all(std::vector<Operation*>& claimed) {
  std::vector<std::shared_ptr<Operation>> busy;
  const std::lock_guard lock(mutex_);
  for (const std::shared_ptr<Operation>& operation : active_) {
    if (operation->claimed_) {
      busy.push_back(operation);
    } else {
      claimed.push_back(operation.get());
    }
  }
  for (Operation* const operation : claimed) operation->claimed_ = true;
  return busy;
}

void Progress::await(const std::vector<std::shared_ptr<Operation>>& busy) {
  for (const std::shared_ptr<Operation>& operation : busy) {
    const auto is_free = [&] {
      const std::lock_guard lock(mutex_);
      return !operation->claimed_;
    };
    wait_until(is_free, yield_each_time);
  }
}

void Progress::cancel(Operation& operation) {
  with_claim(operation, [&] { operation.cancel(); });
}

void Progress::give_up(Operation& operation, std::exception_ptr why) {
  with_claim(operation, [&] { operation.give_up(std::move(why)); });
}

template <typename Act>
void Progress::with_claim(Operation& operation, Act act) {
  bool over = false;
  const auto claim = [&] {
    const std::lock_guard lock(mutex_);
    over = operation.over();
    return over || !std::exchange(operation.claimed_, true);
  };
  wait_until(claim, yield_each_time);
  if (over) return;
  act();
  Operation* const claimed[] = {&operation};
  run(claimed);
}

void Progress::run(std::span<Operation* const> claimed) {
  for (Operation* const operation : claimed) operation->advance(false);
  release(claimed);
}

void Progress::release(std::span<Operation* const> claimed) {
  Place over;  // goes when the lock is free again
  const std::lock_guard lock(mutex_);
  for (Operation* const operation : claimed) {
    operation->claimed_ = false;
    if (!operation->over()) continue;
    if (next_ == operation->place_) ++next_;
    over.splice(over.end(), active_, operation->place_);
    if (!operation->lost()) continue;
    Place lost;
    lost.splice(lost.end(), over, operation->place_);
    keep(std::move(lost));
  }
}

std::size_t Progress::active() const {
  const std::lock_guard lock(mutex_);
  return active_.size();
}

std::size_t Progress::orphans() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(
      std::ranges::count_if(active_, [](const auto& operation) { return operation.use_count() == 1; }));
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

void Progress::nudge() noexcept {
  {
    const std::lock_guard lock(mutex_);
    nudged_ = true;
  }
  wake_.notify_one();
}

void Progress::serve(const std::stop_token& stop, int device) {
  serves_progress = true;
  try {
    if (device >= 0) gpu::make_current(device);
  } catch (const GpuError&) {
    // Then each call that needs a device chooses it.
  }
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(mutex_);
      if (!wake_.wait(lock, stop, [&] { return !active_.empty() || nudged_; })) return;
      nudged_ = false;
    }
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
  if (operation->lost()) Progress::keep(std::move(place_));
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
