// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/request/operation.hpp"

#include <condition_variable>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

namespace typewarp::transport {

/// The operations of a Session that are under way. A thread claims those that it advances, so threads advance
/// different ones at the same time; the lock is held only to choose them. Thread safe.
class ActiveOperations {
 public:
  /// A place in the list for an operation that is about to be posted, so that nothing can fail afterwards.
  using Place = std::list<std::shared_ptr<Operation>>;
  static Place place_for(std::shared_ptr<Operation> operation) { return {std::move(operation)}; }
  /// Shares ownership of the operation until it is over.
  void add(Place place) noexcept;
  /// Keeps operations for good whose memory the MPI may still use.
  static void keep(Place lost) noexcept;

  /// Claims those of `wanted` that are free and not over. Returns them, at the beginning of `wanted`.
  std::span<Operation*> claim(std::span<Operation*> wanted);
  /// Some of all, each in its turn.
  struct Claimed {
    std::span<Operation*> operations;
    bool is_turn_over;  ///< all have had their turn, or `longest_turn` of them
  };
  /// Claims as many as there is room for in `room`; none if there are no more than `moved`, which have just
  /// been advanced.
  Claimed claim_next(std::span<Operation*> room, std::size_t moved, std::size_t longest_turn);
  /// Adds all that are free to `claimed`. Returns those that another thread has claimed.
  std::vector<std::shared_ptr<Operation>> claim_all(std::vector<Operation*>& claimed);
  /// Waits for the thread that has claimed it. False: it is over.
  bool wait_and_claim(Operation& operation);
  bool is_free(const Operation& operation) const;
  /// Gives claimed ones back, and takes out those that are over.
  void release(std::span<Operation* const> claimed);

  std::size_t size() const;
  /// Only where one thread calls.
  bool empty() const noexcept { return operations_.empty(); }
  /// How many have no request.
  std::size_t orphans() const;

  /// Waits until there are some, or until nudge(). False: `stop` was requested.
  bool wait(const std::stop_token& stop);
  void nudge() noexcept;

 private:
  mutable std::mutex mutex_;
  std::condition_variable_any wake_;
  Place operations_;
  Place::iterator next_ = operations_.end();
  std::size_t in_this_turn_ = 0;  ///< claimed since the last turn was over
  bool nudged_ = false;
};

}  // namespace typewarp::transport
