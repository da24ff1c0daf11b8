// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/stream.hpp"
#include "interpose/core/reductions/reduce_scatter_allgather.hpp"
#include "interpose/core/requests/turns.hpp"
#include "transport/collective/collective_context.hpp"

#include <typewarp/request.hpp>

#include <mpi.h>

#include <map>
#include <memory>
#include <mutex>

namespace typewarp::interpose {

/// Nonblocking reductions of a communicator are made one after the other, in the order of their calls, which
/// is the same in all ranks. Each exchanges several times, and other exchanges of the communicator come in
/// between in any order. So their messages have a channel of their own. Thread safe.
class ReductionChannel final : public transport::CommState::Member {
 public:
  static constexpr transport::CommSlot slot = transport::CommSlot::reductions;

  /// That of `comm`, whose ranks all have this library, with which it is kept. Collective at the first call
  /// for a communicator, where nobody waits. Throws MpiError, and std::bad_alloc where nothing was done.
  static std::shared_ptr<ReductionChannel> of(MPI_Comm comm);
  /// One for a persistent request. Collective, and waits for all ranks.
  static std::shared_ptr<ReductionChannel> apart(MPI_Comm comm);

  explicit ReductionChannel(std::shared_ptr<transport::CollectiveContext> messages)
      : messages_(std::move(messages)) {}

  const std::shared_ptr<transport::CollectiveContext>& messages() const noexcept { return messages_; }
  void leave() override {
    if (messages_) messages_->leave();
  }
  /// A stream of its own on `device`, ordered with no stream of the program's. Throws GpuError.
  Stream stream(int device);
  Turn take_turn() const { return Turn(turns_); }

 private:
  std::shared_ptr<transport::CollectiveContext> messages_;
  std::mutex mutex_;
  std::map<int, gpu::OwnStream> streams_;  ///< of each device
  std::shared_ptr<Turns> turns_ = std::make_shared<Turns>();
};

/// A reduction that does not block: its steps, moved on by whoever tests its request or the progress thread.
/// It takes part whatever memory it has: what the engine cannot combine where it lies is brought to memory of
/// the host. The request ends with the first failure of this rank, or with an Error where another rank
/// failed, of which all tell each other at the end; others wait for a rank that can send nothing any more.
/// `call.comm` may be freed meanwhile, and the program's stream ended.
Request start_reduction(const ReductionCall& call, const Participants& ranks,
                        const std::shared_ptr<ReductionChannel>& channel, Stream stream);

}  // namespace typewarp::interpose
