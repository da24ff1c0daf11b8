// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/mpi/wait_loop.hpp"
#include "transport/request/operation.hpp"

#include <chrono>
#include <cstdint>
#include <exception>
#include <span>

namespace typewarp::transport {

/// The error of a wait for that peer.
TimeLimitExceeded limit_exceeded(const Peer& peer, std::chrono::milliseconds limit);

/// Moves requests on until enough of them are over, or until none of them has made a step for as long as the
/// options of their Session allow. There is no such limit outside of a Session.
class Waiting {
 public:
  explicit Waiting(std::span<const Request> requests);

  /// Moves on each of them, and some other operations of the Session. False when patience has ended.
  bool round();
  /// Until all are over. False if those that were not had to be given up, of which finish() tells.
  bool bring_all_to_end();

  static void move_on(std::span<const Request> requests);
  /// Those of no Session only.
  static void move_on_alone(std::span<const Request> requests);
  /// Gives up an active request, with TimeLimitExceeded for its error, which is returned if it had none. One
  /// that no time limit holds for is brought to its end. What is of no Session is moved on by nobody else
  /// meanwhile.
  static std::exception_ptr give_up(const Request& request) noexcept;
  /// The result of a request that is active, and over or given up. It is inactive then, also when this
  /// throws.
  static Status finish(Request& request);
  /// Of one that is active.
  static const Operation& operation_of(const Request& request) noexcept { return *request.operation_; }
  /// Whether nothing of it is under way; of one that is active, whether an error is all that it has to tell.
  static bool over(const Request& request) noexcept;
  static bool failed(const Request& request) noexcept;
  /// Of one that is active.
  static bool is_send(const Request& request) noexcept;
  static bool is_limited(const Request& request) noexcept;
  /// Changes whenever something of it got done.
  static std::uint64_t steps_of(const Request& request) noexcept;

 private:
  using Clock = std::chrono::steady_clock;

  bool all_over() noexcept;
  bool exhausted();
  std::uint64_t steps() const noexcept;

  std::span<const Request> requests_;
  std::span<const Request> open_;       ///< of them: those before and after are over
  std::shared_ptr<Progress> progress_;  ///< null if none is of a Session
  std::uint64_t steps_;
  Clock::time_point since_ = Clock::now();
  WaitLoop loop_;
};

}  // namespace typewarp::transport
