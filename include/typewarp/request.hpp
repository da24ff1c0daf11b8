// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/plan.hpp>

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace typewarp {

namespace transport {
class Waiting;
struct Internal;
}  // namespace transport

/// What a completed operation moved. For a send, only `bytes` and `cancelled` are meaningful.
struct Status {
  int source = MPI_ANY_SOURCE;
  int tag = MPI_ANY_TAG;
  std::int64_t bytes = 0;
  /// Receive: cancelled before a message matched; nothing was received. Send: nobody receives the message.
  bool cancelled = false;

  /// Whole items received (MPI_Get_count): MPI_UNDEFINED if `bytes` is no multiple of the item's size.
  std::int64_t count(const Plan& plan) const;
  /// Basic elements received (MPI_Get_elements): MPI_UNDEFINED if `bytes` ends inside one.
  std::int64_t elements(const Plan& plan) const;
};

/// One operation in flight. Move-only; owns its temporaries and keeps the plan alive. The user's buffer must
/// live until completion. Destroying an active request cancels an unmatched receive, and otherwise completes
/// the operation, so that no temporary is freed while MPI uses it.
class Request {
 public:
  Request() noexcept;
  Request(Request&&) noexcept;
  Request& operator=(Request&&) noexcept;
  ~Request();

  bool active() const noexcept { return operation_ != nullptr; }
  /// Blocks until complete; inactive afterwards, also when it throws. On an inactive request: an empty
  /// status.
  Status wait();
  /// The status if complete (the request is then inactive), else nothing. On an inactive request: an empty
  /// status.
  std::optional<Status> test();
  /// Makes progress, and returns whether wait() would return or throw immediately.
  bool ready();
  /// Ends a receive that no message has matched yet, and a send if the MPI cancels it, as MPICH does within
  /// one process; the status says so. Otherwise does nothing. The request stays active.
  void cancel();

  /// Whether it can be started again (see send_init()). It remains persistent until it is assigned to or
  /// destroyed, which frees it.
  bool persistent() const noexcept { return arguments_ != nullptr; }
  /// Starts the message of a persistent request. Throws InvalidArgument if it is active or not persistent.
  /// If the call that it stands for throws, this does too, and the request is inactive.
  void start();

 private:
  friend class transport::Waiting;
  friend struct transport::Internal;
  friend void start_all(std::span<Request> requests);

  struct Operation;
  struct Arguments;
  explicit Request(std::shared_ptr<Operation> operation) noexcept;
  explicit Request(std::shared_ptr<const Arguments> arguments) noexcept;

  std::shared_ptr<Operation> operation_;
  std::shared_ptr<const Arguments> arguments_;  ///< of a persistent request
};

}  // namespace typewarp
