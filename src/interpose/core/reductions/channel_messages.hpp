// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/collectives/block_messages.hpp"
#include "interpose/core/collectives/group.hpp"
#include "interpose/core/collectives/long_blocks.hpp"
#include "interpose/core/first_failure.hpp"
#include "transport/collective/collective_context.hpp"
#include "transport/memory/reserve.hpp"

#include <typewarp/request.hpp>

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
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

}  // namespace typewarp::interpose
