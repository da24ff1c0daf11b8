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

/// The error of a wait for `peer` that took too long.
TimeLimitExceeded limit_exceeded(const Peer& peer, std::chrono::milliseconds limit);

/// Advances requests until enough of them are over, or until none has made progress for as long as the time
/// limit of their Session. There is no limit outside of a Session.
class Waiting {
 public:
  explicit Waiting(std::span<const Request> requests);

  /// Advances each of them, and some other operations of the Session. Returns false when the time limit is
  /// exceeded.
  bool round();
  /// Until all are over. Returns false if some had to be given up; finish() throws for these.
  bool bring_all_to_end();

  static void move_on(std::span<const Request> requests);
  /// Only those outside of a Session.
  static void move_on_alone(std::span<const Request> requests);
  /// Gives up an active request with TimeLimitExceeded, which is returned. A request without a time limit is
  /// completed instead.
  static std::exception_ptr give_up(const Request& request) noexcept;
  /// The result of an active request that is over or given up. Afterwards it is inactive, also if this
  /// throws.
  static Status finish(Request& request);
  /// Of one that is active.
  static const Operation& operation_of(const Request& request) noexcept { return *request.operation_; }
  /// Whether it is inactive or over; and whether an active one that is over has an error.
  static bool over(const Request& request) noexcept;
  static bool failed(const Request& request) noexcept;
  /// Of one that is active.
  static bool is_send(const Request& request) noexcept;
  static bool is_limited(const Request& request) noexcept;
  /// Changes with each step of progress.
  static std::uint64_t steps_of(const Request& request) noexcept;

 private:
  using Clock = std::chrono::steady_clock;

  bool all_over() noexcept;
  bool exhausted();
  std::uint64_t steps() const noexcept;

  std::span<const Request> requests_;
  std::span<const Request> open_;       ///< those before and after are over
  std::shared_ptr<Progress> progress_;  ///< null outside of a Session
  std::uint64_t steps_;
  Clock::time_point since_ = Clock::now();
  WaitLoop loop_;
};

}  // namespace typewarp::transport
