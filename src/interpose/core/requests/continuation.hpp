// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/buffers/moves.hpp"
#include "interpose/core/function_ref.hpp"

#include <typewarp/request.hpp>

#include <mpi.h>

#include <cstdint>
#include <deque>
#include <functional>
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

// Messages after whose end something is left to do, before the program may know of it.

/// What is done when a message has come: it starts moves, and does not wait for them.
using Act = std::function<void(const Status&, Moves&)>;

/// A request that is complete when a message is complete, `act` has been called with its status, and the
/// moves of `act` are done. `begin()` starts the message when nothing else can fail any more, and gives an
/// active request; what it throws is thrown here. Whoever makes progress calls `act`, once, and not if the
/// message fails. What `act` throws is the request's error. It is kept, with what it holds, until the message
/// is over, even if the request is given up before.
Request continued(FunctionRef<Request()> begin, MPI_Comm comm, Act act);
/// The same for a request of the MPI's that `make()` makes: a nonblocking one, or a persistent one that it
/// starts, which is not freed. `has_status`: whether its status says what came; that of a collective call
/// does not.
Request continued(FunctionRef<MPI_Request()> make, MPI_Comm comm, Act act, bool has_status = false);
/// The same for one that is made here or, if it is put off, when `turn` is the next, by whoever makes
/// progress. The request is not tested before its turn. What `make` throws is thrown here, or is the
/// request's error.
Request continued_in_turn(std::function<MPI_Request()> make, bool is_put_off, Turn turn, MPI_Comm comm,
                          Act act);
/// A request that is complete, with so many bytes.
Request completed(MPI_Comm comm, std::int64_t bytes);

}  // namespace typewarp::interpose
