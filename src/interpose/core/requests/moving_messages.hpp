// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/requests/operation_table.hpp"
#include "transport/request/waiting.hpp"

#include <typewarp/request.hpp>

#include <cstddef>
#include <exception>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace typewarp::interpose {

/// The messages that are under way, and the operation of each. Only one thread at a time calls; `mutex` is
/// the lock of the operations. A call that fails has changed nothing.
class MovingMessages {
 public:
  bool empty() const noexcept { return requests_.empty(); }
  std::span<const Request> requests() const noexcept { return requests_; }

  /// Takes the messages that these have started, under the lock. Throws std::bad_alloc, and then leaves the
  /// rest in the list.
  void take_in(Chain& arriving);
  /// Cancels the messages of cancelled operations.
  void cancel(std::mutex& mutex) noexcept;
  /// Takes out the messages that are over, and adds to `over` the operations that have none left. Calls
  /// `gone(operation)`, under the lock, if a message that was given up has ended.
  template <class Gone>
  void take_out(std::mutex& mutex, Chain& over, Gone gone) noexcept;

  /// Operations that somebody waits for.
  struct WaitedFor {
    std::span<MessageOperation* const> operations;
    bool only_first;  ///< if all are late, only the first is given up
    bool in_wait;     ///< all time counts since the last look
  };
  /// Gives them up if none has made a step for `limit`, except those without a limit, and adds them to
  /// `over`. Their messages stay here, with all that they use, until they are over.
  void end_late(const WaitedFor& late, Standstill::Clock::duration limit, std::mutex& mutex,
                Chain& over) noexcept;

 private:
  struct Part {
    MessageOperation* of;
    bool first;             ///< whether it is the first message
    bool given_up = false;  ///< the operation has ended without it
  };
  /// What a message ended with.
  struct End {
    Status status;
    std::exception_ptr error;
  };
  static End end_of(Request& message) noexcept;
  /// These two under the lock.
  bool are_late(const WaitedFor& late, Standstill::Clock::duration limit) noexcept;
  static void note(const End& end, const Part& part, Chain& over) noexcept;

  void give_up(const MessageOperation& operation, std::mutex& mutex, Chain& over) noexcept;

  std::vector<Request> requests_;
  std::vector<Part> parts_;
};

template <class Gone>
void MovingMessages::take_out(std::mutex& mutex, Chain& over, Gone gone) noexcept {
  std::size_t left = 0;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    const Part part = parts_[i];
    if (!transport::Waiting::over(requests_[i])) {
      if (left != i) requests_[left] = std::move(requests_[i]);
      parts_[left++] = part;
      continue;
    }
    const End end = end_of(requests_[i]);
    const std::lock_guard lock(mutex);
    --part.of->messages.under_way;
    part.given_up ? gone(*part.of) : note(end, part, over);
  }
  requests_.erase(requests_.begin() + static_cast<std::ptrdiff_t>(left), requests_.end());
  parts_.resize(left);
}

}  // namespace typewarp::interpose
