// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/requests/operation.hpp"

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <list>
#include <mutex>
#include <span>
#include <unordered_map>

namespace typewarp::interpose {

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
