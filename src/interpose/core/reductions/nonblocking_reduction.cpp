// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/reductions/nonblocking_reduction.hpp"

#include "interpose/core/reductions/call_in_turn.hpp"
#include "transport/memory/reserve.hpp"
#include "transport/session.hpp"

#include <typewarp/error.hpp>

#include <utility>

namespace typewarp::interpose {
namespace {

/// On the Session's communicator, which stays: the channel knows who is meant.
ReductionCall on_private_comm(ReductionCall call) {
  call.comm = transport::current()->comm.get();
  return call;
}

class NonblockingReduction final : public CallInTurn {
 public:
  NonblockingReduction(const ReductionCall& call, const std::optional<DirectNumbers>& at_once,
                       const Participants& ranks, std::shared_ptr<TurnChannel> channel, Stream stream)
      : CallInTurn(call.comm, ranks, std::move(channel), at_once), call_(on_private_comm(call)) {
    follow_numbers(stream);
    take_turn();
  }

 private:
  enum class Phase : std::uint8_t { begins, gathers, combines, spreads, tells, over };

  bool go_on_by_messages() override {
    while (phase_ != Phase::over) {
      if (!has_ended()) return false;
      phase_ = following();
      failure().attempt([&] { begin(); });
    }
    return true;
  }
  std::uint64_t steps_by_messages() const noexcept override {
    return static_cast<std::uint64_t>(phase_) + static_cast<std::uint64_t>(offset_);
  }

  void follow_numbers(Stream stream) noexcept {
    std::optional<int> home;
    try {
      home = home_of(call_.from, call_.to == nullptr ? call_.from : call_.to);
    } catch (const std::exception&) {  // what lies anywhere may be a device's
      home.reset();
    }
    if (home != ReductionScratch::host) follow(stream, home);
  }

  bool has_ended() {
    if (phase_ == Phase::begins) return true;
    if (phase_ != Phase::combines) return messages().over(failure());
    bool is_done = true;
    failure().attempt([&] { is_done = !combined_ || combined_->done(); });
    return is_done;
  }

  Phase following() noexcept {
    combined_.reset();
    switch (phase_) {
      case Phase::begins:
        return Phase::gathers;
      case Phase::gathers:
        return Phase::combines;
      case Phase::combines:
        return Phase::spreads;
      case Phase::spreads:
        offset_ += steps_->piece();
        return offset_ < steps_->longest() ? Phase::gathers : Phase::tells;
      default:
        return Phase::over;
    }
  }

  void begin() {
    switch (phase_) {
      case Phase::gathers:
        if (!steps_) prepare();
        return messages().begin([&] { return steps_->gather(offset_); }, stream());
      case Phase::combines:
        return combine();
      case Phase::spreads:
        return messages().begin([&] { return steps_->spread(offset_); }, stream());
      case Phase::tells:
        return messages().tell(failure() ? ChannelMessages::all_bits : ChannelMessages::none, stream());
      default:
        steps_.reset();  // gives its memory back
    }
  }

  /// Without memory of the host nothing can be exchanged, so the channel is of no use from here on.
  void prepare() {
    try {
      transport::insist([&] { steps_.emplace(call_, messages().ranks()).prepare_anyhow(); });
      if (steps_->piece() == 0) throw Error("typewarp: the MPI has been finalized");
    } catch (...) {
      channel().messages()->spoil();
      phase_ = Phase::over;
      steps_.reset();
      throw;
    }
  }

  void combine() {
    if (messages().is_given_up()) return;
    // Made before what it is to follow.
    if (steps_->home() != ReductionScratch::host) combined_.emplace(steps_->home());
    steps_->combine(offset_, stream());
    if (combined_) combined_->record(stream());
  }

  ReductionCall call_;
  Phase phase_ = Phase::begins;
  std::int64_t offset_ = 0;  ///< of the step
  std::optional<ReduceScatterAllgather> steps_;
  std::optional<gpu::Event> combined_;
};

}  // namespace

Request start_reduction(const ReductionCall& call, const std::optional<DirectNumbers>& at_once,
                        const Participants& ranks, const std::shared_ptr<TurnChannel>& channel,
                        Stream stream) {
  const auto made = transport::insist(
      [&] { return std::make_shared<NonblockingReduction>(call, at_once, ranks, channel, stream); });
  made->advance(false);
  return transport::Internal::request(made);
}

}  // namespace typewarp::interpose
