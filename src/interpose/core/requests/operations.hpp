// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/requests/moving_messages.hpp"

#include <typewarp/request.hpp>

#include <mpi.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace typewarp::transport {
class Progress;
}

/// Messages of ours that programs know by requests of the MPI.
///
/// Each has a request that is the MPI's own: a generalized one, or, since those cannot be started again, a
/// persistent receive from this rank itself of a message that is sent when ours is complete (a *token*). So
/// programs may mix them with requests of the MPI's in one array, copy them, and give them to calls that we
/// do not see. The MPI completes them; we only see to it that what they stand for is.
namespace typewarp::interpose {

/// The messages of an operation that has one.
inline std::vector<Request> one(Request message) {
  std::vector<Request> messages;
  messages.push_back(std::move(message));
  return messages;
}
/// The same, of one that `begin()` starts when nothing else can fail any more.
template <class Begin>
std::vector<Request> one_begun(const Begin& begin) {
  std::vector<Request> messages;
  messages.reserve(1);
  messages.push_back(begin());
  return messages;
}

/// All of this process. Thread safe.
class Operations {
 public:
  Operations(const Operations&) = delete;
  Operations& operator=(const Operations&) = delete;
  /// Between MPI_Init and MPI_Finalize, of which close() belongs to the latter: cancels receives that nothing
  /// has matched, and brings what programs have freed to an end, for as long as that is worth waiting for;
  /// the rest is the MPI's to end. Throws MpiError.
  void open(MPI_Comm self);
  void close(bool (*worth_waiting)(bool something_is_left)) noexcept;
  /// Lets the thread of `progress` complete requests as well: programs may wait for them by calls that do not
  /// come here. To be called before there are any, of a progress that outlives close().
  void complete_by(transport::Progress& progress) noexcept;

  /// Makes a request of messages that were just started. Throws MpiError, std::bad_alloc, and then has ended
  /// them. `kept` is let go of when they are over.
  MPI_Request add(MPI_Comm comm, std::vector<Request> messages, std::shared_ptr<const void> kept = nullptr);
  /// The same of those that `start()` starts, when nothing else can fail any more: a send that has started
  /// cannot be taken back.
  template <class Start>
  MPI_Request add_started(MPI_Comm comm, const Start& start) {
    Operation& operation = prepare(comm);
    try {
      return begin(operation, start());
    } catch (...) {
      forget(operation);
      throw;
    }
  }
  /// Makes a persistent one. Throws MpiError, std::bad_alloc.
  MPI_Request add_persistent(MPI_Comm comm, Operation::Start start,
                             std::shared_ptr<Partitions> partitions = nullptr);

  /// Whether there is any: then calls of the MPI that complete requests have to do with us.
  bool any() const noexcept { return known_.load(std::memory_order_acquire) != 0; }
  bool is_ours(MPI_Request handle) const;
  bool is_persistent(MPI_Request handle) const;
  /// Null if it has none.
  std::shared_ptr<Partitions> partitions_of(MPI_Request handle) const noexcept;
  /// Starts a persistent one. Returns MPI_SUCCESS, or the code of an error, which was raised; it is inactive
  /// then, or was active before. While a message of its last start that was given up is under way it cannot
  /// start.
  int start(MPI_Request handle) noexcept;
  /// Has a receive end that nothing has matched, and a send that the MPI cancels, when ours are moved on
  /// next.
  void cancel(MPI_Request handle);
  /// Frees a persistent one: at once, or when it is complete.
  void free(MPI_Request handle);
  /// To be called before the program frees any other.
  void leave(MPI_Request handle) noexcept;

  /// Moves all on, without waiting.
  void poll();
  /// Moves all on as far as they can be: which of `handles` are complete can be asked of the MPI then. Waits
  /// for other threads that are moving some on.
  void exhaust(std::span<const MPI_Request> handles);
  /// Waits until all of ours that are active are complete for the MPI, too, or given up.
  void settle(std::span<const MPI_Request> handles);

  /// Which of ours are given up when none of those that are active has made a step for the time limit, which
  /// also does not count for what the MPI moves: their error is TimeLimitExceeded. A wait counts from its
  /// begin on; a call that only looks goes on where the last one was, of which no more than a part of the
  /// limit counts as time in between.
  enum class Late { all, first };
  enum class Looks { in_wait, now_and_then };
  /// To be called once where a wait begins, and then, or by a call that looks, after each look in vain.
  void begin_wait(std::span<const MPI_Request> handles) noexcept;
  void end_late(std::span<const MPI_Request> handles, Late which, Looks looks = Looks::now_and_then);

  /// To be called when the MPI has completed `handle`, before it may be started again: the result of a
  /// persistent one, which is inactive from now on, or nothing. Also nothing for one that was not active.
  struct Result {
    Status status;
    int code;  ///< MPI_SUCCESS, or that of its error, which was raised
  };
  std::optional<Result> conclude(MPI_Request handle);
  /// The status of the same, for a look that completes nothing.
  std::optional<Status> look(MPI_Request handle) const;

 private:
  friend Operations& operations();
  Operations() = default;

  struct Callbacks;
  using Lock = std::unique_lock<std::mutex>;
  bool complete(std::span<const MPI_Request> handles) const;
  bool all_are_over() const;
  bool being_told(std::span<const MPI_Request> handles) const;
  using MoveOn = void(std::span<const Request>);
  /// Finishes what is over after `move_on`. False if nothing is left. Does nothing if another thread is at
  /// it.
  bool round(MoveOn* move_on, Lock moving);
  void tell(Chain& over) noexcept;
  void tell(Operation& operation) noexcept;
  /// The MPI needs it no more.
  void let_go(Operation& operation) noexcept;
  /// Destroys those that are gone.
  void sweep();
  // Under the lock of `moving_`.
  void take_in_arriving();
  void take_out_finished(Chain& over) noexcept;
  // Under the lock of the rest.
  Operation* find(MPI_Request handle) const;
  template <class Is>
  bool any_of_ours(std::span<const MPI_Request> handles, Is is) const;
  /// Throws std::bad_alloc: nothing has changed then.
  void know(std::list<Operation>& made);
  void launch(Operation& operation, std::vector<Request> messages) noexcept;
  /// One that has a handle and no messages yet, which it is given or forgotten.
  Operation& prepare(MPI_Comm comm);
  MPI_Request begin(Operation& operation, std::vector<Request> messages) noexcept;
  static void forget(Operation& operation) noexcept;
  void part_from_handle(Operation& operation) noexcept;
  /// If nobody needs it any more.
  void erase(Operation& operation) noexcept;

  /// Of all but `moving_`. The MPI is not called under it, since it calls back from under locks of its own:
  /// MPICH and its kin from under the one of all calls, where they are built with one.
  mutable std::mutex mutex_;
  std::list<Operation> kept_;  ///< that the MPI or we still need
  std::list<Operation> gone_;  ///< whose destruction may call the MPI
  std::unordered_map<MPI_Request, Operation*> operations_;
  Chain arriving_;  ///< have started messages
  bool some_are_cancelled_ = false;
  std::uint64_t launched_ = 0;
  MPI_Comm self_ = MPI_COMM_NULL;                                ///< on which tokens travel
  transport::Tags token_tags_{std::numeric_limits<int>::max()};  ///< the MPI refuses what it has not

  std::mutex moving_mutex_;  ///< taken before the other
  MovingMessages moving_;
  std::atomic<std::size_t> known_{0};
  transport::Progress* progress_ = nullptr;
};

Operations& operations();

}  // namespace typewarp::interpose
