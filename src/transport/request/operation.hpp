// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/handle/internal.hpp"
#include "transport/mpi/point_to_point.hpp"

#include <atomic>
#include <exception>
#include <list>

namespace typewarp {

namespace transport {
class Progress;
}  // namespace transport

/// A message in flight: a state machine over MPI requests and events, moved on by whoever calls. Within a
/// Session, Progress sees to it that only one thread at a time does (it has a *claim*); outside, the thread
/// that has the Request.
struct Request::Operation {
  /// `home`: what moves it on, of a Session; null outside.
  Operation(const transport::Peer& peer, std::shared_ptr<transport::Progress> home);
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  virtual ~Operation() = default;

  /// Moves on as far as it can without waiting, or, if `block`, to the end where only the MPI and the stream
  /// are to be waited for; true once over. The first error ends the operation for its request, and this still
  /// brings what the peer and the MPI need to an end.
  bool advance(bool block) noexcept;
  /// Ends a receive that nothing has matched, and a send that the MPI cancels; does nothing else.
  void cancel() noexcept;
  /// Ends the operation for its request, with `why` for its error if it has none; the rest is done without
  /// touching the user's memory, but for what the MPI was given to write or read in place.
  void give_up(std::exception_ptr why = nullptr) noexcept;

  /// Whether it must be brought to its end although nobody has its request any more: others receive it.
  virtual bool is_send() const noexcept { return false; }
  /// Whose time limit waits for it have; null: none.
  virtual const transport::Progress* limited_by() const noexcept { return home_.get(); }

  bool over() const noexcept { return over_.load(std::memory_order_acquire); }
  /// Whether it was over before all that it had posted: the MPI may still use its memory.
  bool lost() const noexcept { return lost_; }
  /// Throws what ended it. Precondition: over(), or given up by the caller.
  const Status& result() const;
  /// Precondition: over().
  bool failed() const noexcept { return error_ != nullptr; }
  /// Changes whenever something of the operation got done; or, while it waits for memory of the pool, of any
  /// operation of its Session, since these give the memory back.
  std::uint64_t steps() const noexcept;

  const transport::Peer& peer() const noexcept { return peer_; }
  const std::shared_ptr<transport::Progress>& home() const noexcept { return home_; }

 protected:
  /// What advance() does; may throw, and is called again afterwards until it returns true.
  virtual bool run(bool block) = 0;
  /// Prepares run() for ending without the user's memory. Called at most once.
  virtual void fail() = 0;
  virtual void withdraw() {}

  /// For an operation that consists of others: what `request`, inactive then, has in flight.
  static std::shared_ptr<Operation> take(Request& request) noexcept { return std::move(request.operation_); }
  void count_step() noexcept;
  /// For a step that an operation which this one consists of has counted.
  void repeat_step() noexcept { steps_.fetch_add(1, std::memory_order_relaxed); }
  void wait_for_memory(bool waits) noexcept { waits_for_memory_.store(waits, std::memory_order_relaxed); }
  Status status_;

 private:
  friend class transport::Progress;

  transport::Peer peer_;
  std::shared_ptr<transport::Progress> home_;
  std::exception_ptr error_;
  bool failing_ = false;
  bool lost_ = false;
  std::atomic<bool> over_{false};
  std::atomic<std::uint64_t> steps_{0};
  std::atomic<bool> waits_for_memory_{false};

  // Progress's own, under its lock.
  bool claimed_ = false;
  std::list<std::shared_ptr<Operation>>::iterator place_;
};

namespace transport {

using Operation = Internal::Operation;

/// The error of a message for which a receive had not enough room, of class MPI_ERR_TRUNCATE.
class Truncated : public MpiError {
 public:
  /// `status`: of the whole message. The MPI has not found it out.
  Truncated(const Status& status, std::int64_t room);
  /// It has, and says so by `error`. What `status` has for length is the MPI's choice.
  Truncated(const MpiError& error, const Status& status, std::int64_t room)
      : MpiError(error), status_(status), room_(room) {}

  const Status& status() const noexcept { return status_; }
  std::int64_t room() const noexcept { return room_; }

 private:
  Status status_;
  std::int64_t room_;
};

}  // namespace transport

}  // namespace typewarp
