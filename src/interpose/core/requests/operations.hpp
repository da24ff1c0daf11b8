// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/never_destroyed.hpp"
#include "interpose/core/function_ref.hpp"
#include "interpose/core/requests/moving_messages.hpp"
#include "interpose/core/requests/operation_table.hpp"
#include "transport/memory/reserve.hpp"
#include "transport/mpi/tags.hpp"

#include <typewarp/mpi.hpp>
#include <typewarp/request.hpp>

#include <mpi.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
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

/// Messages without bytes from this rank to itself, by whose persistent receives programs know persistent
/// operations: those of generalized requests cannot be started again.
class Tokens {
 public:
  /// After MPI_Init. Throws MpiError.
  void open(MPI_Comm self) { mpi::check(PMPI_Comm_dup(self, &self_), "MPI_Comm_dup"); }
  void close() noexcept { PMPI_Comm_free(&self_); }

  transport::Tag take_tag() { return tags_.take(); }
  /// An inactive persistent receive. Throws MpiError.
  MPI_Request receive(const transport::Tag& tag) const {
    MPI_Request made = MPI_REQUEST_NULL;
    mpi::check(PMPI_Recv_init(nullptr, 0, MPI_BYTE, 0, tag.value(), self_, &made), "MPI_Recv_init");
    return made;
  }
  void send(const transport::Tag& tag) const noexcept {
    PMPI_Send(nullptr, 0, MPI_BYTE, 0, tag.value(), self_);
  }

 private:
  MPI_Comm self_ = MPI_COMM_NULL;
  transport::Tags tags_{std::numeric_limits<int>::max()};  ///< the MPI refuses tags beyond its own limit
};

/// Moves the messages of operations on, tells the MPI which operations are over, and gives up those that are
/// late. Thread safe.
class OperationProgress {
 public:
  OperationProgress(OperationTable& operations, const Tokens& tokens) noexcept
      : operations_(operations), tokens_(tokens) {}

  /// Lets the thread of `progress` complete requests as well, since programs may wait for them by calls that
  /// we do not see. To be called before there are any requests. `progress` is used until detach().
  void attach(transport::Progress& progress) noexcept;
  void detach() noexcept { progress_ = nullptr; }

  // Under the lock of the operations.
  void launch(MessageOperation& operation, std::vector<Request> messages) noexcept;
  /// At the next round.
  void cancel(MessageOperation& operation) noexcept;

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

 private:
  using Lock = OperationTable::Lock;
  using MoveOn = void(std::span<const Request>);
  /// Finishes what is over after `move_on`. False if nothing is left. Does nothing if another thread is in
  /// it.
  bool round(MoveOn* move_on, Lock moving);
  bool complete(std::span<const MPI_Request> handles) const;
  bool being_told(std::span<const MPI_Request> handles) const;
  void tell(Chain& over) noexcept;
  void tell(MessageOperation& operation) noexcept;
  /// With the lock of `moving_`.
  void take_in_arriving();

  OperationTable& operations_;
  const Tokens& tokens_;
  // Under the lock of the operations.
  Chain arriving_;  ///< have messages that have just started
  bool some_are_cancelled_ = false;
  std::uint64_t launched_ = 0;

  std::mutex moving_mutex_;  ///< taken before that of the operations
  MovingMessages moving_;
  transport::Progress* progress_ = nullptr;
};

/// The list of messages of an operation that has one, which `begin()` starts when nothing else can fail any
/// more.
template <class Begin>
std::vector<Request> one_begun(const Begin& begin) {
  std::vector<Request> messages;
  transport::insist([&] { messages.reserve(1); });
  messages.push_back(begin());
  return messages;
}
/// The same, of one that was started.
inline std::vector<Request> one(Request message) {
  return one_begun([&] { return std::move(message); });
}

/// The requests by which programs know operations: makes, starts, frees and concludes them. Other ranks may
/// wait for what they stand for: what lacks memory to be made is made with what was put aside. Thread safe.
class Operations {
 public:
  Operations& operator=(Operations&&) = delete;
  /// After MPI_Init. Throws MpiError.
  void open(MPI_Comm self) { tokens_.open(self); }
  /// In MPI_Finalize: cancels receives that nothing has matched, and completes what programs have freed, as
  /// long as that is worth waiting for. The MPI ends the rest.
  void close(FunctionRef<bool(bool something_is_left)> worth_waiting) noexcept;

  /// Makes a request for messages that were just started. Keeps `kept` until they are over. Throws MpiError,
  /// std::bad_alloc, and then has ended the messages.
  MPI_Request add(MPI_Comm comm, std::vector<Request> messages, std::shared_ptr<const void> kept = nullptr);
  /// The same for messages that `start()` starts, when nothing else can fail any more: a send that has
  /// started cannot be taken back, and what the MPI has begun uses its memory until it is over.
  template <class Start>
  MPI_Request add_started(MPI_Comm comm, const Start& start, std::shared_ptr<const void> kept = nullptr) {
    MessageOperation& operation = prepare(comm);
    operation.kept = std::move(kept);
    try {
      return begin(operation, start());
    } catch (...) {
      forget(operation);
      throw;
    }
  }
  /// Makes a persistent request. Throws MpiError, std::bad_alloc.
  template <class Start>
  MPI_Request add_persistent(MPI_Comm comm, const Start& start,
                             const std::shared_ptr<Partitions>& partitions = nullptr) {
    operations_.sweep();
    return transport::insist([&] { return make_persistent(comm, start, partitions); });
  }

  /// Whether there are requests of ours, which calls that complete requests must look for.
  bool any() const noexcept { return !operations_.empty(); }
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
  /// Frees a persistent request, at once or when it is complete; or one that no program knows, whose messages
  /// go on until they are over.
  void free(MPI_Request handle);
  /// To be called before the program frees any other request.
  void leave(MPI_Request handle) noexcept;

  /// To be called when the MPI has completed `handle`, before it may be started again. Makes a persistent
  /// request inactive and returns its result; nothing for others, and for one that was not active.
  struct Result {
    Status status;
    int code;  ///< MPI_SUCCESS, or that of its error, which was raised
  };
  std::optional<Result> conclude(MPI_Request handle);
  /// The status of the same, for a call that completes nothing.
  std::optional<Status> look(MPI_Request handle) const;

  OperationProgress& progress() noexcept { return progress_; }

 private:
  friend class NeverDestroyed<Operations>;
  Operations() = default;

  struct Callbacks;
  using Lock = OperationTable::Lock;
  /// An operation with a handle and no messages: begin() gives it some, or forget() ends it.
  MessageOperation& prepare(MPI_Comm comm);
  MPI_Request make_persistent(MPI_Comm comm, PersistentStart::Function start,
                              std::shared_ptr<Partitions> partitions);
  MPI_Request begin(MessageOperation& operation, std::vector<Request> messages) noexcept;
  static void forget(MessageOperation& operation) noexcept;

  Tokens tokens_;
  OperationTable operations_;
  OperationProgress progress_{operations_, tokens_};
};

Operations& operations();

}  // namespace typewarp::interpose
