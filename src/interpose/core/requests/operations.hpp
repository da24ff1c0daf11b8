// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/never_destroyed.hpp"
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

/// Messages of this library, which programs know by requests of the MPI.
///
/// Each has a request of the MPI's own: a generalized one or, since those cannot be started again, a
/// persistent receive of a message from this rank to itself, which is sent when ours is complete (a *token*).
/// So programs may mix them with other requests in one array, copy them, and pass them to calls that we do
/// not see. The MPI completes the request, we complete the messages that it stands for.
namespace typewarp::interpose {

/// The list of messages of an operation that has one.
inline std::vector<Request> one(Request message) {
  std::vector<Request> messages;
  messages.push_back(std::move(message));
  return messages;
}
/// The same, of a message that `begin()` starts when nothing else can fail any more.
template <class Begin>
std::vector<Request> one_begun(const Begin& begin) {
  std::vector<Request> messages;
  messages.reserve(1);
  messages.push_back(begin());
  return messages;
}

/// All operations of this process. Thread safe.
class Operations {
 public:
  Operations(const Operations&) = delete;
  Operations& operator=(const Operations&) = delete;
  /// After MPI_Init. Throws MpiError.
  void open(MPI_Comm self);
  /// In MPI_Finalize: cancels receives that nothing has matched, and completes what programs have freed, as
  /// long as that is worth waiting for. The MPI ends the rest.
  void close(bool (*worth_waiting)(bool something_is_left)) noexcept;
  /// Lets the thread of `progress` complete requests as well, since programs may wait for them by calls that
  /// we do not see. To be called before there are any requests. `progress` outlives close().
  void complete_by(transport::Progress& progress) noexcept;

  /// Makes a request for messages that were just started. Keeps `kept` until they are over. Throws MpiError,
  /// std::bad_alloc, and then has ended the messages.
  MPI_Request add(MPI_Comm comm, std::vector<Request> messages, std::shared_ptr<const void> kept = nullptr);
  /// The same for messages that `start()` starts, when nothing else can fail any more: a send that has
  /// started cannot be taken back.
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
  /// Makes a persistent request. Throws MpiError, std::bad_alloc.
  MPI_Request add_persistent(MPI_Comm comm, Operation::Start start,
                             std::shared_ptr<Partitions> partitions = nullptr);

  /// Whether there are requests of ours, which calls that complete requests must look for.
  bool any() const noexcept { return known_.load(std::memory_order_acquire) != 0; }
  bool is_ours(MPI_Request handle) const;
  bool is_persistent(MPI_Request handle) const;
  /// Null if it has none.
  std::shared_ptr<Partitions> partitions_of(MPI_Request handle) const noexcept;
  /// Starts a persistent request. Returns MPI_SUCCESS, or the code of an error, which was raised: the request
  /// is inactive then, or was active before. It cannot start while a message of its last start that was given
  /// up is under way.
  int start(MPI_Request handle) noexcept;
  /// Ends a receive that nothing has matched, and a send that the MPI can cancel, at the next progress.
  void cancel(MPI_Request handle);
  /// Frees a persistent request, at once or when it is complete.
  void free(MPI_Request handle);
  /// To be called before the program frees any other request.
  void leave(MPI_Request handle) noexcept;

  /// Makes progress on all, without waiting.
  void poll();
  /// Makes all the progress that is possible, so that the MPI can be asked which of `handles` are complete.
  /// Waits for other threads that are making progress.
  void exhaust(std::span<const MPI_Request> handles);
  /// Waits until all active requests of ours among these are complete for the MPI too, or given up.
  void settle(std::span<const MPI_Request> handles);

  /// Which requests of ours are given up, with TimeLimitExceeded, if none of the active ones has made a step
  /// for the time limit. The limit does not hold for what the MPI moves. A wait counts its own time. A call
  /// that only looks adds the time since the last look, but no more than a part of the limit.
  enum class Late { all, first };
  enum class Looks { in_wait, now_and_then };
  /// The first is called once when a wait begins, the second after each look in vain.
  void begin_wait(std::span<const MPI_Request> handles) noexcept;
  void end_late(std::span<const MPI_Request> handles, Late which, Looks looks = Looks::now_and_then);

  /// To be called when the MPI has completed `handle`, before it may be started again. Makes a persistent
  /// request inactive and returns its result; nothing for others, and for one that was not active.
  struct Result {
    Status status;
    int code;  ///< MPI_SUCCESS, or that of its error, which was raised
  };
  std::optional<Result> conclude(MPI_Request handle);
  /// The status of the same, for a call that completes nothing.
  std::optional<Status> look(MPI_Request handle) const;

 private:
  friend class NeverDestroyed<Operations>;
  Operations() = default;

  struct Callbacks;
  using Lock = std::unique_lock<std::mutex>;
  bool complete(std::span<const MPI_Request> handles) const;
  bool all_are_over() const;
  bool being_told(std::span<const MPI_Request> handles) const;
  using MoveOn = void(std::span<const Request>);
  /// Finishes what is over after `move_on`. False if nothing is left. Does nothing if another thread is in
  /// it.
  bool round(MoveOn* move_on, Lock moving);
  void tell(Chain& over) noexcept;
  void tell(Operation& operation) noexcept;
  /// The MPI does not need it any more.
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
  /// An operation with a handle and no messages: begin() gives it some, or forget() ends it.
  Operation& prepare(MPI_Comm comm);
  MPI_Request begin(Operation& operation, std::vector<Request> messages) noexcept;
  static void forget(Operation& operation) noexcept;
  void part_from_handle(Operation& operation) noexcept;
  /// Does so only if nobody needs it any more.
  void erase(Operation& operation) noexcept;

  /// Of all but `moving_`. The MPI is not called under it, since it calls back while it holds locks of its
  /// own: MPICH and its derivatives may hold one that all their calls take.
  mutable std::mutex mutex_;
  std::list<Operation> kept_;  ///< that the MPI or we still need
  std::list<Operation> gone_;  ///< whose destruction may call the MPI
  std::unordered_map<MPI_Request, Operation*> operations_;
  Chain arriving_;  ///< have started messages
  bool some_are_cancelled_ = false;
  std::uint64_t launched_ = 0;
  MPI_Comm self_ = MPI_COMM_NULL;  ///< tokens are sent on it
  transport::Tags token_tags_{
      std::numeric_limits<int>::max()};  ///< the MPI refuses tags beyond its own limit

  std::mutex moving_mutex_;  ///< taken before the other
  MovingMessages moving_;
  std::atomic<std::size_t> known_{0};
  transport::Progress* progress_ = nullptr;
};

Operations& operations();

}  // namespace typewarp::interpose
