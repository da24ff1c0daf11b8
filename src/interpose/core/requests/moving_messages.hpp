// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/mpi/tags.hpp"
#include "transport/request/waiting.hpp"

#include <typewarp/request.hpp>

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace typewarp::interpose {

class Partitions;

/// How long an operation has made no step, as far as somebody has looked.
struct Standstill {
  using Clock = std::chrono::steady_clock;

  /// At most `longest` of the time since the last look counts.
  void look(Clock::time_point now, Clock::duration longest) noexcept {
    const bool moved = std::exchange(steps, counted) != counted;
    lasts = moved ? Clock::duration::zero() : lasts + std::min(now - looked, longest);
    looked = now;
  }

  std::uint64_t steps = 0;    ///< when somebody last looked
  std::uint64_t counted = 0;  ///< by whoever is looking
  Clock::time_point looked;
  Clock::duration lasts{0};
  bool watched = false;  ///< by whoever is looking
};

/// One message, or two that are one operation (MPI_Isendrecv).
struct Operation {
  /// Starts what a persistent request stands for. Throws what the calls of transport.hpp throw.
  using Start = std::function<std::vector<Request>()>;

  explicit Operation(MPI_Comm of) noexcept : comm(of) {}

  MPI_Comm comm;  ///< whose error handler is told
  MPI_Request handle = MPI_REQUEST_NULL;
  Start start;                             ///< of a persistent one
  std::shared_ptr<Partitions> partitions;  ///< of a partitioned one
  transport::Tag tag;                      ///< of its token
  std::uint64_t number = 0;                ///< in the trace
  std::list<Operation>::iterator place;
  // What follows is written under the lock of Operations.
  std::shared_ptr<const void> kept;
  std::vector<Request> started;  ///< that nobody moves on yet
  Operation* next = nullptr;     ///< in the Chain that has it
  std::size_t messages = 0;      ///< that the request waits for
  std::size_t under_way = 0;     ///< these, and those that were given up and are not over
  Status status;                 ///< of the first message, which is the receive if there is one
  std::exception_ptr error;
  bool active = true;
  bool cancelled = false;
  unsigned telling = 0;  ///< threads that tell the MPI that it is over
  bool told = false;
  bool freed = false;  ///< its handle, which may be before it is over
  bool left = false;   ///< by the program, which has freed its request

  Standstill standstill;
};

/// A list of operations. Each is in one list at most, so adding one cannot fail.
class Chain {
 public:
  Chain() = default;
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;

  bool empty() const noexcept { return first_ == nullptr; }
  Operation* first() const noexcept { return first_; }
  void add(Operation& operation) noexcept {
    operation.next = nullptr;
    *end_ = &operation;
    end_ = &operation.next;
  }
  /// Takes the first one out; null if the list is empty.
  Operation* take() noexcept {
    Operation* const taken = first_;
    if (taken == nullptr) return nullptr;
    first_ = std::exchange(taken->next, nullptr);
    if (first_ == nullptr) end_ = &first_;
    return taken;
  }

 private:
  Operation* first_ = nullptr;
  Operation** end_ = &first_;
};

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
    std::span<Operation* const> operations;
    bool only_first;  ///< if all are late, only the first is given up
    bool in_wait;     ///< all time counts since the last look
  };
  /// Gives them up if none has made a step for `limit`, except those without a limit, and adds them to
  /// `over`. Their messages stay here, with all that they use, until they are over.
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
