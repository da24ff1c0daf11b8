// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/mpi/tags.hpp"

#include <typewarp/request.hpp>

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
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

/// The messages of one start of an operation: since it was made, or since the program started it again.
struct StartedMessages {
  std::vector<Request> arriving;  ///< that nobody moves on yet
  std::size_t awaited = 0;        ///< that the request waits for
  std::size_t under_way = 0;      ///< these, and those that were given up and are not over
  Status status;                  ///< of the first message, which is the receive if there is one
  std::exception_ptr error;
  bool cancelled = false;
  bool told = false;  ///< the MPI, that all are over
  Standstill standstill;
};

/// What a persistent request keeps from start to start.
struct PersistentStart {
  /// Throws what the calls of transport.hpp throw.
  using Function = std::function<std::vector<Request>()>;

  Function start;
  std::shared_ptr<Partitions> partitions;  ///< of a partitioned one
  transport::Tag tag;                      ///< of its token
};

/// One message, or two that are one operation (MPI_Isendrecv), and the request by which the program knows it.
struct MessageOperation {
  explicit MessageOperation(MPI_Comm of) noexcept : comm(of) {}

  MPI_Comm comm;  ///< whose error handler is told
  MPI_Request handle = MPI_REQUEST_NULL;
  std::optional<PersistentStart> persistent;
  std::uint64_t number = 0;  ///< in the trace
  std::list<MessageOperation>::iterator place;
  // What follows is written under the lock of OperationTable.
  std::shared_ptr<const void> kept;  ///< until the messages are over
  StartedMessages messages;
  MessageOperation* next = nullptr;  ///< in the Chain that has it
  bool active = true;
  unsigned telling = 0;  ///< threads that tell the MPI that it is over
  bool freed = false;    ///< its handle, which may be before it is over
  bool left = false;     ///< by the program, which has freed its request
};

/// A list of operations. Each is in one list at most, so adding one cannot fail.
class Chain {
 public:
  Chain& operator=(Chain&&) = delete;

  bool empty() const noexcept { return first_ == nullptr; }
  MessageOperation* first() const noexcept { return first_; }
  void add(MessageOperation& operation) noexcept {
    operation.next = nullptr;
    *end_ = &operation;
    end_ = &operation.next;
  }
  /// Takes the first one out; null if the list is empty.
  MessageOperation* take() noexcept {
    MessageOperation* const taken = first_;
    if (taken == nullptr) return nullptr;
    first_ = std::exchange(taken->next, nullptr);
    if (first_ == nullptr) end_ = &first_;
    return taken;
  }

 private:
  MessageOperation* first_ = nullptr;
  MessageOperation** end_ = &first_;
};

/// The operations that the MPI or this library still needs, by their requests. Thread safe.
class OperationTable {
 public:
  using Lock = std::unique_lock<std::mutex>;

  /// The lock of all operations. The MPI is not called under it, since it calls back while it holds locks of
  /// its own: MPICH and its derivatives may hold one that all their calls take.
  std::mutex& mutex() const noexcept { return mutex_; }

  bool empty() const noexcept { return number_.load(std::memory_order_acquire) == 0; }
  /// Whether `is(operation)` for the operation of one of these.
  template <class Is>
  bool any_of(std::span<const MPI_Request> handles, Is is) const {
    const Lock lock(mutex_);
    return std::ranges::any_of(handles, [&](MPI_Request handle) {
      const MessageOperation* const operation = find(handle);
      return operation != nullptr && is(*operation);
    });
  }
  /// Whether no messages are under way, and the MPI knows all that are over.
  bool all_are_over() const;
  /// Destroys those that nobody needs, which may call the MPI.
  void sweep();

  // Under the lock.
  /// Null if it is no request of ours.
  MessageOperation* find(MPI_Request handle) const;
  /// Takes over the only operation of `made`. Throws std::bad_alloc: nothing has changed then.
  void add(std::list<MessageOperation>& made);
  /// The MPI does not need the request any more.
  void part_from_handle(MessageOperation& operation) noexcept;
  /// Leaves it to sweep(), but only if nobody needs it any more.
  void erase(MessageOperation& operation) noexcept;
  template <class Act>
  void for_each(Act act) {
    std::ranges::for_each(needed_, act);
  }

 private:
  mutable std::mutex mutex_;
  std::list<MessageOperation> needed_;
  std::list<MessageOperation> gone_;
  std::unordered_map<MPI_Request, MessageOperation*> by_handle_;
  std::atomic<std::size_t> number_{0};  ///< of both lists
};

}  // namespace typewarp::interpose
