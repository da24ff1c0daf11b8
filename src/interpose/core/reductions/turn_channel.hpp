// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/stream.hpp"
#include "interpose/core/agreement/boards.hpp"
#include "interpose/core/collectives/block_messages.hpp"
#include "interpose/core/collectives/call.hpp"
#include "interpose/core/first_failure.hpp"
#include "interpose/core/reductions/direct_reductions.hpp"
#include "interpose/core/requests/continuation.hpp"
#include "transport/collective/collective_context.hpp"
#include "transport/memory/reserve.hpp"

#include <typewarp/request.hpp>

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace typewarp::interpose {

/// What a call that does not block exchanges with the other ranks of a channel, one exchange after the other.
class ChannelMessages {
 public:
  using Channel = std::shared_ptr<transport::CollectiveContext>;
  static constexpr std::uint64_t none = 0, all_bits = ~none;

  /// Throws std::bad_alloc.
  ChannelMessages(MPI_Comm comm, const Participants& ranks, Channel channel)
      : comm_(comm),
        ranks_(ranks),
        channel_(std::move(channel)),
        words_(static_cast<std::size_t>(ranks.all)) {}

  const Participants& ranks() const noexcept { return ranks_; }
  const Channel& channel() const noexcept { return channel_; }
  /// Begins an exchange behind what `stream` holds. A rank that sends nothing for one leaves others with
  /// messages of the wrong one: where this throws, the channel is of no use to anybody any more.
  template <class MessagesOf>
  void begin(MessagesOf messages_of, Stream stream) {
    std::ranges::fill(words_, none);
    exchange(messages_of, stream);
  }
  /// Whether the last one is over, perhaps by a failure. Throws where it cannot look.
  bool over(FirstFailure& failure);
  /// From now on others get errors from this rank, whose memory is left alone. Throws std::bad_alloc.
  void give_up();
  bool is_given_up() const noexcept { return why_given_up_ != nullptr; }
  /// Changes with each step of it.
  std::uint64_t steps() const noexcept;

  /// Gives each rank a word, which it has until the next exchange.
  void tell(std::uint64_t word, Stream stream);
  /// Whether some rank's word is not `none`.
  bool some_told() const noexcept;
  /// What each rank gives to each of the others, who keep it at `of_all` in the order of ranks. Both must
  /// stay until that is over.
  BlockMessages to_all(const void* own, void* of_all, std::int64_t bytes) const;

 private:
  template <class MessagesOf>
  void exchange(MessagesOf messages_of, Stream stream) {
    channel_->or_spoil([&] {
      blocks_ = transport::insist([&] { return messages_of().along(channel_, stream); });
      messages_ = blocks_->begin(why_given_up_);
    });
  }

  MPI_Comm comm_;
  Participants ranks_;
  Channel channel_;
  std::shared_ptr<LongBlocks> blocks_;
  Request messages_;
  std::exception_ptr why_given_up_;
  std::vector<std::uint64_t> words_;  ///< of each rank
};

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
