// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/request/active_operations.hpp"

#include "base/never_destroyed.hpp"
#include "transport/mpi/wait_loop.hpp"

#include <algorithm>
#include <utility>

namespace typewarp::transport {

void ActiveOperations::keep(Place lost) noexcept {
  static NeverDestroyed<Place> kept;
  static constinit std::mutex mutex;
  const std::lock_guard lock(mutex);
  kept.get().splice(kept.get().end(), lost);
}

void ActiveOperations::add(Place place) noexcept {
  {
    const std::lock_guard lock(mutex_);
    place.front()->place_ = place.begin();
    operations_.splice(operations_.end(), place);
  }
  wake_.notify_one();
}

std::span<Operation*> ActiveOperations::claim(std::span<Operation*> wanted) {
  std::size_t count = 0;
  const std::lock_guard lock(mutex_);
  for (Operation* const operation : wanted) {
    if (operation->claimed_ || operation->over()) continue;
    operation->claimed_ = true;
    wanted[count++] = operation;
  }
  return wanted.first(count);
}

ActiveOperations::Claimed ActiveOperations::claim_next(std::span<Operation*> room, std::size_t moved,
                                                       std::size_t longest_turn) {
  std::size_t count = 0;
  const std::lock_guard lock(mutex_);
  const std::size_t most = operations_.size() > moved ? std::min(room.size(), operations_.size()) : 0;
  in_this_turn_ = most == 0 ? operations_.size() : in_this_turn_ + most;
  const bool is_turn_over = in_this_turn_ >= std::min(operations_.size(), longest_turn);
  if (is_turn_over) in_this_turn_ = 0;
  for (std::size_t seen = 0; seen < most; ++seen) {
    if (next_ == operations_.end()) next_ = operations_.begin();
    Operation* const operation = (next_++)->get();
    if (operation->claimed_) continue;
    operation->claimed_ = true;
    room[count++] = operation;
  }
  return {room.first(count), is_turn_over};
}

std::vector<std::shared_ptr<Operation>> ActiveOperations::claim_all(std::vector<Operation*>& claimed) {
  std::vector<std::shared_ptr<Operation>> busy;
  const std::lock_guard lock(mutex_);
  for (const std::shared_ptr<Operation>& operation : operations_) {
    if (operation->claimed_) {
      busy.push_back(operation);
    } else {
      claimed.push_back(operation.get());
    }
  }
  for (Operation* const operation : claimed) operation->claimed_ = true;
  return busy;
}

bool ActiveOperations::wait_and_claim(Operation& operation) {
  bool over = false;
  const auto claim = [&] {
    const std::lock_guard lock(mutex_);
    over = operation.over();
    return over || !std::exchange(operation.claimed_, true);
  };
  wait_until(claim, yield_each_time);
  return !over;
}

bool ActiveOperations::is_free(const Operation& operation) const {
  const std::lock_guard lock(mutex_);
  return !operation.claimed_;
}

void ActiveOperations::release(std::span<Operation* const> claimed) {
  Place over;  // goes when the lock is free again
  const std::lock_guard lock(mutex_);
  for (Operation* const operation : claimed) {
    operation->claimed_ = false;
    if (!operation->over()) continue;
    if (next_ == operation->place_) ++next_;
    over.splice(over.end(), operations_, operation->place_);
    if (!operation->lost()) continue;
    Place lost;
    lost.splice(lost.end(), over, operation->place_);
    keep(std::move(lost));
  }
}

std::size_t ActiveOperations::size() const {
  const std::lock_guard lock(mutex_);
  return operations_.size();
}

std::size_t ActiveOperations::orphans() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(
      std::ranges::count_if(operations_, [](const auto& operation) { return operation.use_count() == 1; }));
}

bool ActiveOperations::wait(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (!wake_.wait(lock, stop, [&] { return !operations_.empty() || nudged_; })) return false;
  nudged_ = false;
  return true;
}

void ActiveOperations::nudge() noexcept {
  {
    const std::lock_guard lock(mutex_);
    nudged_ = true;
  }
  wake_.notify_one();
}

}  // namespace typewarp::transport
