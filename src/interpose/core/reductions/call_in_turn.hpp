// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/event.hpp"
#include "interpose/core/agreement/boards.hpp"
#include "interpose/core/reductions/direct_reductions.hpp"
#include "interpose/core/reductions/turn_channel.hpp"
#include "transport/request/operation.hpp"

#include <cstdint>
#include <memory>
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

/// A call that does not block and is made when its turn has come, moved on by whoever tests its request or
/// the progress thread: by the GPUs of all ranks at once, if they can, or by messages. The request ends with
/// the first failure of this rank, or with an Error where another rank told of one. The program may free the
/// communicator meanwhile, and end its stream.
class CallInTurn : public transport::Operation {
 protected:
  /// `at_once`: what this rank gives to that, if it can.
  CallInTurn(MPI_Comm comm, const Participants& ranks, std::shared_ptr<TurnChannel> channel,
             const std::optional<DirectNumbers>& at_once);

  /// What is enqueued from now on comes behind what `programs` holds now, and not behind what it is given
  /// meanwhile, with which it overlaps: it goes by a stream of the channel's on the device `of_data`, or on
  /// that of `programs` if that is not known.
  void follow(Stream programs, std::optional<int> of_data) noexcept;
  /// Once nothing else can fail: the last part of making the call.
  void take_turn() { turn_ = channel_->take_turn(); }

  /// The call by messages: goes on without waiting. Whether it is over. Throws where it cannot look, and is
  /// called again then.
  virtual bool go_on_by_messages() = 0;
  /// Changes with each step of that.
  virtual std::uint64_t steps_by_messages() const noexcept { return 0; }

  TurnChannel& channel() noexcept { return *channel_; }
  ChannelMessages& messages() noexcept { return messages_; }
  Stream stream() const noexcept { return stream_; }
  FirstFailure& failure() noexcept { return failure_; }

 private:
  enum class Stage : std::uint8_t { waits, at_once, by_messages, over };

  bool run(bool block) override;
  void fail() override;
  const transport::Progress* limited_by() const noexcept override { return limited_by_.get(); }
  bool has_turn();
  bool has_ended();
  Stage following() const noexcept;
  void count_steps() noexcept;

  Stream stream_{};
  std::shared_ptr<TurnChannel> channel_;
  std::shared_ptr<transport::Progress> limited_by_;
  ChannelMessages messages_;
  std::optional<StartedAtOnce> at_once_;
  Turn turn_;
  std::optional<gpu::Event> point_;  ///< of the program's stream
  Stage stage_ = Stage::waits;
  std::uint64_t steps_seen_ = 0;
  FirstFailure failure_;
  bool is_told_ = false;  ///< by the request
};

}  // namespace typewarp::interpose
