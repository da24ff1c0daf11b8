// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/requests/moving_messages.hpp"
#include "interpose/core/requests/operation_table.hpp"
#include "interpose/core/requests/tokens.hpp"

#include <mpi.h>

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace typewarp::transport {
class Progress;
}

namespace typewarp::interpose {

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

}  // namespace typewarp::interpose
