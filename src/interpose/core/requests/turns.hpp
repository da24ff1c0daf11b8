// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>

namespace typewarp::interpose {

/// Turns of calls that must be completed one after the other, in the order in which they were made. Thread
/// safe.
class Turns {
 public:
  /// Whether some turn has been taken and has not ended.
  bool any() const {
    const std::lock_guard lock(mutex_);
    return !taken_.empty();
  }

 private:
  friend class Turn;
  using Number = std::uint64_t;

  Number take() {
    const std::lock_guard lock(mutex_);
    taken_.push_back(next_);
    return next_++;
  }
  bool is_next(Number turn) const {
    const std::lock_guard lock(mutex_);
    return taken_.front() == turn;
  }
  void end(Number turn) {
    const std::lock_guard lock(mutex_);
    std::erase(taken_, turn);
  }

  mutable std::mutex mutex_;
  std::deque<Number> taken_;
  Number next_ = 0;
};

/// One turn, which ends when this is destroyed at the latest; or none.
class Turn {
 public:
  Turn() = default;
  explicit Turn(std::shared_ptr<Turns> of) : number_(of->take()), of_(std::move(of)) {}
  Turn(Turn&& other) noexcept = default;
  Turn& operator=(Turn&& other) noexcept {
    std::swap(number_, other.number_);
    std::swap(of_, other.of_);
    return *this;
  }
  ~Turn() { end(); }

  /// True for none.
  bool is_next() const { return of_ == nullptr || of_->is_next(number_); }
  void end() noexcept {
    if (const std::shared_ptr<Turns> of = std::move(of_)) of->end(number_);
    of_ = nullptr;
  }

 private:
  Turns::Number number_ = 0;
  std::shared_ptr<Turns> of_;
};

}  // namespace typewarp::interpose
