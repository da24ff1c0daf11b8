// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/progress.hpp"

#include "transport/link.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <vector>

namespace typewarp::transport {
namespace {

// How long the progress thread rests between two rounds: short against a chunk's transfer, long against
// a round.
constexpr std::chrono::microseconds rest{20};

/// Operations that the MPI may still hold memory of: kept for good.
void keep(std::shared_ptr<Operation> operation) {
  static std::mutex& mutex = *new std::mutex;
  static auto& kept = *new std::vector<std::shared_ptr<Operation>>;
  const std::lock_guard lock(mutex);
  kept.push_back(std::move(operation));
}

}  // namespace

void Progress::add(Place place) noexcept {
  {
    const std::lock_guard lock(mutex_);
    place.front()->place_ = place.begin();
    active_.splice(active_.end(), place);
  }
  wake_.notify_one();
}

void Progress::advance(Operation& operation) {
  if (link_ != nullptr) link_->progress();
  {
    const std::lock_guard lock(mutex_);
    if (operation.claimed_ || operation.over()) return;
    operation.claimed_ = true;
  }
  operation.advance(false);
  release(operation);
}

void Progress::advance_some() {
  if (link_ != nullptr) link_->progress();
  std::array<Operation*, at_a_time> chosen;
  std::size_t count = 0;
  {
    const std::lock_guard lock(mutex_);
    const std::size_t most = std::min(at_a_time, active_.size());
    for (std::size_t seen = 0; seen < most; ++seen) {
      if (next_ == active_.end()) next_ = active_.begin();
      Operation* const operation = (next_++)->get();
      if (operation->claimed_) continue;
      operation->claimed_ = true;
      chosen[count++] = operation;
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    chosen[i]->advance(false);
    release(*chosen[i]);
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
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      if (operation.over()) return;
      if (!operation.claimed_) {
        operation.claimed_ = true;
        break;
      }
    }
    std::this_thread::yield();
  }
  act();
  operation.advance(false);
  release(operation);
}

void Progress::release(Operation& operation) {
  std::shared_ptr<Operation> last;  // goes when the lock is free again
  const std::lock_guard lock(mutex_);
  operation.claimed_ = false;
  if (!operation.over()) return;
  if (next_ == operation.place_) ++next_;
  last = std::move(*operation.place_);
  active_.erase(operation.place_);
  if (operation.lost()) keep(std::move(last));
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

void Progress::start_thread() {
  thread_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
}

void Progress::stop_thread() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

void Progress::serve(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(mutex_);
      if (!wake_.wait(lock, stop, [&] { return !active_.empty(); })) return;
    }
    advance_some();
    std::this_thread::sleep_for(rest);
  }
}

}  // namespace typewarp::transport
