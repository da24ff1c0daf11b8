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
class ActiveOperations;
class Progress;
}  // namespace transport

/// A message in flight: a state machine over MPI requests and events. Within a Session, any thread may
/// advance it; ActiveOperations lets only one do so at a time, the one that *claims* it. Outside, only the
/// thread with the Request does.
struct Request::Operation {
  /// `home`: the Progress of its Session; null outside.
  Operation(const transport::Peer& peer, std::shared_ptr<transport::Progress> home);
  virtual ~Operation() = default;

  /// Makes progress without waiting; if `block`, waits where only the MPI and the stream are to be waited
  /// for. Returns true once over. The first error ends the operation for its request; later calls still
  /// complete what the peer and the MPI need.
  bool advance(bool block) noexcept;
  /// Ends a receive that nothing has matched, or a send that the MPI can cancel; else does nothing.
  void cancel() noexcept;
  /// Ends the operation for its request, with the error `why` unless it has one. From then on the user's
  /// memory is not touched, except by what the MPI was given in place.
  void give_up(std::exception_ptr why = nullptr) noexcept;

  /// Whether it must complete although its request is gone, since another rank receives it.
  virtual bool is_send() const noexcept { return false; }
  /// The Progress whose time limit holds for waits; null: none.
  virtual const transport::Progress* limited_by() const noexcept { return home_.get(); }

  bool over() const noexcept { return over_.load(std::memory_order_acquire); }
  /// Whether the MPI may still use its memory although it is over.
  bool lost() const noexcept { return lost_; }
  /// Throws the error that ended it. Precondition: over(), or given up by the caller.
  const Status& result() const;
  /// Precondition: over().
  bool failed() const noexcept { return error_ != nullptr; }
  /// Changes with each step of progress: its own, or, while it waits for memory of the pool, that of any
  /// operation of its Session, since these give the memory back.
  std::uint64_t steps() const noexcept;

  const transport::Peer& peer() const noexcept { return peer_; }
  const std::shared_ptr<transport::Progress>& home() const noexcept { return home_; }

 protected:
  /// The work of advance(). May throw, and is called again until it returns true.
  virtual bool run(bool block) = 0;
  /// Makes run() complete without the user's memory. Called at most once.
  virtual void fail() = 0;
  virtual void withdraw() {}

  /// For an operation that consists of others: takes the operation out of `request`.
  static std::shared_ptr<Operation> take(Request& request) noexcept { return std::move(request.operation_); }
  /// For the same, before anybody knows it: its ends, but for the communicator, and its Progress are those of
  /// `other`.
  void stand_for(const Operation& other) noexcept {
    peer_ = {other.peer_.rank, other.peer_.tag, peer_.comm};
    home_ = other.home_;
  }
  void count_step() noexcept;
  /// For a step that a part of this operation has counted already.
  void repeat_step() noexcept { steps_.fetch_add(1, std::memory_order_relaxed); }
  void wait_for_memory(bool waits) noexcept { waits_for_memory_.store(waits, std::memory_order_relaxed); }
  Status status_;

 private:
  friend class transport::ActiveOperations;

  transport::Peer peer_;
  std::shared_ptr<transport::Progress> home_;
  std::exception_ptr error_;
  bool failing_ = false;
  bool lost_ = false;
  std::atomic<bool> over_{false};
  std::atomic<std::uint64_t> steps_{0};
  std::atomic<bool> waits_for_memory_{false};

  // Used by ActiveOperations, under its lock.
  bool claimed_ = false;
  std::list<std::shared_ptr<Operation>>::iterator place_;
};

namespace transport {

using Operation = Internal::Operation;

/// The error of a message that was too long for its receive, of class MPI_ERR_TRUNCATE.
class Truncated : public MpiError {
 public:
  /// Found by this library. `status`: of the whole message.
  Truncated(const Status& status, std::int64_t room);
  /// Reported by the MPI as `error`. The length in `status` is the MPI's choice.
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
