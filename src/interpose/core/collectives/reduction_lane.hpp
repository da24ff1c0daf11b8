// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/stream.hpp"
#include "interpose/core/requests/turns.hpp"
#include "transport/collective/collective_context.hpp"

#include <mpi.h>

#include <map>
#include <memory>
#include <mutex>

namespace typewarp::interpose {

/// On which reductions that do not block are made, one after the other in the order of their calls, which is
/// that of all ranks. Each exchanges several times, and other exchanges of the communicator come in between
/// in whatever order: so its messages go along a channel of its own. Thread safe.
class ReductionLane {
 public:
  /// That of `comm`, whose ranks all have this library, with which it is kept. Collective at the first call
  /// for a communicator, where nobody waits. Throws MpiError.
  static std::shared_ptr<ReductionLane> of(MPI_Comm comm);
  /// One for a persistent request. Collective, and waits for all ranks.
  static std::shared_ptr<ReductionLane> apart(MPI_Comm comm);

  explicit ReductionLane(std::shared_ptr<transport::DupComm> channel) : channel_(std::move(channel)) {}

  const std::shared_ptr<transport::DupComm>& channel() const noexcept { return channel_; }
  /// The communicator that it is kept with is about to be freed.
  void leave() { channel_->leave(); }
  /// A stream of its own on `device`, ordered with no stream of the program's. Throws GpuError.
  Stream stream(int device);
  Turn take_turn() const { return Turn(turns_); }

 private:
  std::shared_ptr<transport::DupComm> channel_;
  std::mutex mutex_;
  std::map<int, gpu::OwnStream> streams_;  ///< of each device
  std::shared_ptr<Turns> turns_ = std::make_shared<Turns>();
};

}  // namespace typewarp::interpose
