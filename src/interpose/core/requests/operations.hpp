// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/mpi/tags.hpp"

#include <typewarp/request.hpp>

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
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

class Partitions;

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
  std::size_t messages = 0;  ///< under way
  Status status;             ///< of the first message, which is the receive if there is one
  std::exception_ptr error;
  bool active = true;
  bool cancelled = false;
  bool told = false;   ///< to the MPI that it is over
  bool freed = false;  ///< its handle, which may be before it is over
  bool left = false;   ///< by the program, which has freed its request
};

/// The messages of an operation that has one.
inline std::vector<Request> one(Request message) {
  std::vector<Request> messages;
  messages.push_back(std::move(message));
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

  /// Makes a request of messages that were just started. Throws MpiError, and then has ended them.
  /// `kept` is let go of when they are over.
  MPI_Request add(MPI_Comm comm, std::vector<Request> messages, std::shared_ptr<const void> kept = nullptr);
  /// Makes a persistent one. Throws MpiError.
  MPI_Request add_persistent(MPI_Comm comm, Operation::Start start,
                             std::shared_ptr<Partitions> partitions = nullptr);

  /// Whether there is any: then calls of the MPI that complete requests have to do with us.
  bool any() const noexcept { return known_.load(std::memory_order_acquire) != 0; }
  bool is_ours(MPI_Request handle) const;
  bool is_persistent(MPI_Request handle) const;
  /// Null if it has none.
  std::shared_ptr<Partitions> partitions_of(MPI_Request handle) const noexcept;
  /// Starts a persistent one. Returns MPI_SUCCESS, or the code of an error, which was raised; it is inactive
  /// then.
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
  /// Waits until all of ours that are active are complete for the MPI, too.
  void settle(std::span<const MPI_Request> handles);

  /// To be called when the MPI has completed `handle`, before it may be started again: the result of a
  /// persistent one, which is inactive from now on, or nothing. Also nothing for one that was not active.
  struct Result {
    Status status;
    int code;  ///< MPI_SUCCESS, or that of its error, which was raised
  };
  std::optional<Result> conclude(MPI_Request handle);
  /// The status of the same, for a look that completes nothing.
  std::optional<Status> look(MPI_Request handle) const;
  /// The code of the error, which is raised now, of a request that is not persistent and that the MPI has
  /// completed since this thread's last poll() or settle(); MPI_SUCCESS if it had none.
  static int take_error(MPI_Request handle) noexcept;

 private:
  friend Operations& operations();
  Operations() = default;

  struct Callbacks;
  using Lock = std::unique_lock<std::mutex>;
  /// Whose a message is, and whether it is the first.
  struct Part {
    Operation* of;
    bool first;
  };
  /// Messages, and what each of them is.
  struct Messages {
    std::vector<Request> requests;
    std::vector<Part> parts;
  };
  bool complete(std::span<const MPI_Request> handles) const;
  bool all_are_over() const;
  bool being_told(std::span<const MPI_Request> handles) const;
  using MoveOn = void(std::span<const Request>);
  /// Finishes what is over after `move_on`. False if nothing is left. Does nothing if another thread is at
  /// it.
  bool round(MoveOn* move_on);
  bool round(MoveOn* move_on, Lock moving);
  void tell(Operation& operation);
  /// The MPI needs it no more.
  void let_go(Operation& operation) noexcept;
  /// Destroys those that are gone.
  void sweep();
  // Under the lock of `moving_`.
  void take_in_arriving();
  void take_out_finished(std::vector<Operation*>& over);
  void finish(Request& message, const Part& part, std::vector<Operation*>& over);
  // Under the lock of the rest.
  Operation* find(MPI_Request handle) const;
  MPI_Request know(std::list<Operation>& made);
  void launch(Operation& operation, std::vector<Request> messages);
  void part_from_handle(Operation& operation) noexcept;
  void erase(Operation& operation) noexcept;

  /// Of all but `moving_`. The MPI is not called under it, since it calls back from under locks of its own:
  /// MPICH and its kin from under the one of all calls, where they are built with one.
  mutable std::mutex mutex_;
  std::list<Operation> kept_;  ///< that the MPI or we still need
  std::list<Operation> gone_;  ///< whose destruction may call the MPI
  std::unordered_map<MPI_Request, Operation*> operations_;
  Messages arriving_;
  std::vector<MPI_Request> telling_;  ///< over, which the MPI may not know yet
  bool some_are_cancelled_ = false;
  std::uint64_t launched_ = 0;
  MPI_Comm self_ = MPI_COMM_NULL;                                ///< on which tokens travel
  transport::Tags token_tags_{std::numeric_limits<int>::max()};  ///< the MPI refuses what it has not

  std::mutex moving_mutex_;  ///< taken before the other
  Messages moving_;
  std::atomic<std::size_t> known_{0};
  transport::Progress* progress_ = nullptr;
};

Operations& operations();

}  // namespace typewarp::interpose
