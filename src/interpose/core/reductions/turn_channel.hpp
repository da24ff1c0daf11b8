// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/stream.hpp"
#include "interpose/core/agreement/boards.hpp"
#include "interpose/core/reductions/direct_reductions.hpp"
#include "interpose/core/requests/turns.hpp"
#include "transport/collective/collective_context.hpp"

#include <mpi.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace typewarp::interpose {

/// Nonblocking calls of a communicator that are made one after the other, in the order in which they were
/// begun, which is the same in all ranks. Each exchanges several times, and other exchanges of the
/// communicator come in between in any order. So their messages have a channel of their own. Thread safe.
class TurnChannel final : public transport::CommState::Member {
 public:
  static constexpr transport::CommSlot slot = transport::CommSlot::in_turn;

  /// That of `comm`, whose ranks all have this library, with which it is kept. Collective at the first call
  /// for a communicator, where nobody waits. Throws MpiError, and std::bad_alloc where nothing was done.
  static std::shared_ptr<TurnChannel> of(MPI_Comm comm);
  /// One for a persistent request. Collective, and waits for all ranks.
  static std::shared_ptr<TurnChannel> apart(MPI_Comm comm);

  explicit TurnChannel(std::shared_ptr<transport::CollectiveContext> messages)
      : messages_(std::move(messages)) {}

  const std::shared_ptr<transport::CollectiveContext>& messages() const noexcept { return messages_; }
  void leave() override {
    if (messages_) messages_->leave();
  }
  /// A stream of its own on `device`, ordered with no stream of the program's. Throws GpuError.
  Stream stream(int device);
  Turn take_turn() const { return Turn(turns_); }
  /// What GPUs of all ranks need to make calls at once, and where the ranks agree on each.
  struct AtOnce {
    AtOnce(std::shared_ptr<CommBoards> boards, const RankAtBoard& own)
        : held(std::move(boards)), board(own) {}

    DirectReductions calls{DirectReductions::Calls::nonblocking};
    std::shared_ptr<CommBoards> held;
    RankAtBoard board;  ///< of these
  };
  /// Null in all ranks if they share no memory or are too many; and for a persistent request, each of which
  /// would need memory of devices. For the call whose turn it is.
  AtOnce* at_once() noexcept { return at_once_ ? &*at_once_ : nullptr; }

 private:
  std::shared_ptr<transport::CollectiveContext> messages_;
  std::mutex mutex_;
  std::map<int, gpu::OwnStream> streams_;  ///< of each device
  std::shared_ptr<Turns> turns_ = std::make_shared<Turns>();
  std::optional<AtOnce> at_once_;
};

}  // namespace typewarp::interpose
