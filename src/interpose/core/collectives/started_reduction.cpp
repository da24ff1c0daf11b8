// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/collectives/started_reduction.hpp"

#include "engine/gpu/event.hpp"
#include "interpose/core/collectives/long_blocks.hpp"
#include "transport/request/operation.hpp"
#include "transport/request/waiting.hpp"
#include "transport/session.hpp"

#include <algorithm>
#include <utility>

namespace typewarp::interpose {
namespace {

using transport::Waiting;

/// On the Session's communicator, which stays: the channel knows who is meant.
ReductionCall on_private_comm(ReductionCall call) {
  call.comm = transport::current()->comm.get();
  return call;
}

class StartedReduction final : public transport::Operation {
 public:
  StartedReduction(const ReductionCall& call, const Ranks& ranks, std::shared_ptr<ReductionLane> lane,
                   Stream stream)
      : Operation({MPI_ANY_SOURCE, MPI_ANY_TAG, call.comm}, nullptr),
        call_(on_private_comm(call)),
        ranks_(ranks),
        stream_(stream),
        failed_(static_cast<std::size_t>(ranks.all)),
        lane_(std::move(lane)) {
    follow_the_call();
    turn_ = lane_->take_turn();
  }

 private:
  enum class Phase : std::uint8_t { waits, gathers, combines, spreads, tells, over };

  bool run(bool) override {
    while (phase_ != Phase::over) {
      if (!has_ended(phase_)) return false;
      phase_ = following(phase_);
      attempt([&] { begin(phase_); });
    }
    if (std::exchange(is_told_, true)) return true;
    if (failure_) std::rethrow_exception(failure_);
    if (std::ranges::any_of(failed_, [](int failed) { return failed != 0; }))
      throw Error("typewarp: another rank failed in this call");
    return true;
  }
  void fail() override {}  // others wait for this rank: its steps are made all the same

  /// Later steps come behind what the program's stream holds now, and not behind what it is given meanwhile,
  /// with which they overlap: the numbers of one device go by a stream of the lane's.
  void follow_the_call() noexcept {
    attempt([&] {
      const std::optional<int> home = home_of(call_.from, call_.to == nullptr ? call_.from : call_.to);
      if (!home || *home == Partials::host) return;
      const Stream own = lane_->stream(*home);
      const int device = gpu::stream_device(stream_);
      reached_.emplace(device < 0 ? *home : device, stream_);
      stream_ = own;
    });
    failure_ = nullptr;  // then each message follows the stream itself
  }

  bool is_done(const std::optional<gpu::Event>& point) {
    bool is_done = true;
    attempt([&] { is_done = !point || point->done(); });
    return is_done;
  }

  bool has_ended(Phase phase) {
    if (phase == Phase::waits)
      return lane_->channel()->made(false) && lane_->is_turn(turn_) && is_done(reached_);
    if (phase == Phase::combines) return is_done(combined_);
    if (!std::ranges::all_of(messages_, [](Request& message) { return message.ready(); })) return false;
    for (Request& message : messages_) {
      if (message.active()) attempt([&] { Waiting::finish(message); });
    }
    messages_.clear();
    blocks_.reset();
    return true;
  }

  Phase following(Phase phase) {
    switch (phase) {
      case Phase::gathers:
        return Phase::combines;
      case Phase::combines:
        combined_.reset();
        return Phase::spreads;
      case Phase::spreads:
        offset_ += steps_->piece();
        return offset_ < steps_->longest() ? Phase::gathers : Phase::tells;
      case Phase::tells:
        return Phase::over;
      default:
        return Phase::gathers;
    }
  }

  void begin(Phase phase) {
    if (phase == Phase::gathers) {
      if (!steps_) prepare();
      send(steps_->gather(offset_));
    } else if (phase == Phase::combines) {
      combine();
    } else if (phase == Phase::spreads) {
      send(steps_->spread(offset_));
    } else if (phase == Phase::tells) {
      tell();
    } else {
      steps_.reset();  // gives its memory back
      lane_->end_turn();
    }
  }

  /// Without memory of the host nothing is left to be done with the others, nor with those of later calls.
  void prepare() {
    try {
      steps_.emplace(call_, ranks_).prepare_anyhow();
    } catch (...) {
      lane_->channel()->spoil();
      phase_ = Phase::over;
      begin(phase_);
      throw;
    }
  }

  void combine() {
    // Made before what it is to follow.
    if (steps_->home() != Partials::host) combined_.emplace(steps_->home());
    steps_->combine(offset_, stream_);
    if (combined_) combined_->record(stream_);
  }

  void tell() {
    own_failed_ = failure_ ? 1 : 0;
    BlockMessages messages(call_.comm, ranks_.own);
    for (int rank = 0; rank < ranks_.all; ++rank) {
      if (rank == ranks_.own) continue;
      messages.send(rank, {&own_failed_, MPI_INT}, {1, 0});
      messages.receive(rank, {failed_.data(), MPI_INT}, {1, rank});
    }
    send(std::move(messages));
  }

  void send(BlockMessages messages) {
    blocks_ = messages.along(lane_->channel(), stream_);
    messages_ = blocks_->begin();
  }

  template <class Act>
  void attempt(Act act) {
    try {
      act();
    } catch (...) {
      if (!failure_) failure_ = std::current_exception();
    }
  }

  ReductionCall call_;
  Ranks ranks_;
  Stream stream_;
  std::vector<int> failed_;  ///< of each rank
  int own_failed_ = 0;
  std::shared_ptr<ReductionLane> lane_;
  std::uint64_t turn_ = 0;

  Phase phase_ = Phase::waits;
  bool is_told_ = false;
  std::int64_t offset_ = 0;  ///< of the step
  std::optional<ReductionSteps> steps_;
  std::optional<gpu::Event> reached_;  ///< by the stream of the call
  std::optional<gpu::Event> combined_;
  std::unique_ptr<LongBlocks> blocks_;
  std::vector<Request> messages_;
  std::exception_ptr failure_;
};

}  // namespace

Request start_reduction(const ReductionCall& call, const Ranks& ranks, std::shared_ptr<ReductionLane> lane,
                        Stream stream) {
  const auto made = std::make_shared<StartedReduction>(call, ranks, std::move(lane), stream);
  made->advance(false);
  return transport::Internal::request(made);
}

}  // namespace typewarp::interpose
