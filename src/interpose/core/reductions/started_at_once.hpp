// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/agreement/rank_at_board.hpp"
#include "interpose/core/reductions/channel_messages.hpp"
#include "interpose/core/reductions/direct_reductions.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace typewarp::interpose {

/// The part of a call that does not block in which GPUs make it at once, if they can in all ranks. A kernel
/// starts when all ranks have begun the call, and then waits for nothing that the program must do first. A
/// rank that fails gives up the next agreement: the others see that while they wait, and no later call of the
/// communicator is made so.
class StartedAtOnce {
 public:
  /// `own`: what this rank gives, if it can. The others must live as long as this. Throws std::bad_alloc.
  StartedAtOnce(DirectReductions& reductions, RankAtBoard& board, const std::optional<DirectNumbers>& own,
                ChannelMessages& messages);

  /// Goes on without waiting. Whether this part is over. Throws where it cannot look, and is called again
  /// then.
  bool advance(Stream stream, FirstFailure& failure);
  /// Once it is over: else the call must be made in another way, which all ranks find alike.
  bool is_made() const noexcept { return phase_ == Phase::made; }
  /// This rank has failed: what was launched ends without a result, here and elsewhere.
  void give_up() noexcept;
  /// Changes with each step.
  std::uint64_t steps() const noexcept { return static_cast<std::uint64_t>(phase_); }

 private:
  using Offer = exchange::PeerMemory::Offer;
  enum class Phase : std::uint8_t { begins, asks, offers, maps, launched, made, refused };

  bool has_ended(FirstFailure& failure);
  bool launch_has_ended(FirstFailure& failure);
  Phase following() noexcept;
  Phase following_agreement() noexcept;
  void begin(Stream stream, const FirstFailure& failure);
  void offer(Stream stream);
  template <class Find>
  void post(Find find) const noexcept;
  void stop_all() noexcept;

  DirectReductions& reductions_;
  RankAtBoard& board_;
  std::optional<DirectNumbers> own_;
  ChannelMessages& messages_;
  std::vector<Offer> offers_;  ///< of each rank
  Phase phase_ = Phase::begins;
  bool is_given_up_ = false;
};

}  // namespace typewarp::interpose
