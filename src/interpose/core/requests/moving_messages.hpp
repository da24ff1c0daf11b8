// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/requests/operation.hpp"
#include "transport/request/waiting.hpp"

#include <exception>
#include <mutex>
#include <span>
#include <vector>

namespace typewarp::interpose {

/// The messages that are under way, and of which operation each is. Only one thread at a time calls; `mutex`
/// is the lock of the operations. What fails has changed nothing.
class MovingMessages {
 public:
  bool empty() const noexcept { return requests_.empty(); }
  std::span<const Request> requests() const noexcept { return requests_; }

  /// Takes the messages that these have started, under the lock. Throws std::bad_alloc: then the rest stays
  /// in the chain.
  void take_in(Chain& arriving);
  /// Cancels those of operations that are cancelled.
  void cancel(std::mutex& mutex) noexcept;
  /// Takes out those that are over. `over` gets the operations whose last message that was; `gone(operation)`
  /// is called, under the lock, where a message that was given up has ended.
  template <class Gone>
  void take_out(std::mutex& mutex, Chain& over, Gone gone) noexcept;

  /// Operations of which messages are here, that somebody waits for.
  struct WaitedFor {
    std::span<Operation* const> operations;
    bool only_first;  ///< is given up where all are late
    bool in_wait;     ///< all time counts since the last look
  };
  /// Gives them up if none has made a step for `limit`; but for those that no limit holds for. `over` gets
  /// them; their messages stay here, with all that they use, until they are over.
  void end_late(const WaitedFor& late, Standstill::Clock::duration limit, std::mutex& mutex,
                Chain& over) noexcept;

 private:
  struct Part {
    Operation* of;
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

  void give_up(const Operation& operation, std::mutex& mutex, Chain& over) noexcept;

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
    --part.of->under_way;
    part.given_up ? gone(*part.of) : note(end, part, over);
  }
  requests_.erase(requests_.begin() + static_cast<std::ptrdiff_t>(left), requests_.end());
  parts_.resize(left);
}

}  // namespace typewarp::interpose
