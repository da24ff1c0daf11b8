// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/reductions/nonblocking_reduction.hpp"

#include "engine/runtime/event.hpp"
#include "interpose/core/collectives/long_blocks.hpp"
#include "transport/memory/reserve.hpp"
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

class NonblockingReduction final : public transport::Operation {
 public:
  NonblockingReduction(const ReductionCall& call, const Participants& ranks,
                       std::shared_ptr<ReductionChannel> channel, Stream stream)
      : Operation({MPI_ANY_SOURCE, MPI_ANY_TAG, call.comm}, nullptr),
        call_(on_private_comm(call)),
        ranks_(ranks),
        stream_(stream),
        channel_(std::move(channel)),
        limited_by_(transport::progress_of(transport::current())) {
    verdict_.of_all.resize(static_cast<std::size_t>(ranks.all));
    follow_the_call();
    turn_ = channel_->take_turn();
  }

 private:
  enum class Phase : std::uint8_t { waits, gathers, combines, spreads, tells, over };
  struct UnderWay {
    std::shared_ptr<LongBlocks> blocks;
    Request messages;
    std::uint64_t steps_seen = 0;
  };
  struct Verdict {
    std::vector<int> of_all;  ///< whether each rank failed
    int own = 0;
    std::exception_ptr failure;
    bool is_told = false;  ///< by the request
  };

  bool run(bool) override {
    while (phase_ != Phase::over) {
      count_steps();
      if (!has_ended(phase_)) return false;
      phase_ = following(phase_);
      attempt([&] { begin(phase_); });
    }
    if (std::exchange(verdict_.is_told, true)) return true;
    if (verdict_.failure) std::rethrow_exception(verdict_.failure);
    if (std::ranges::any_of(verdict_.of_all, [](int failed) { return failed != 0; }))
      throw Error("typewarp: another rank failed in this call");
    return true;
  }
  // Others wait for this rank: its steps are made all the same.
  void fail() override {
    if (!Waiting::over(under_way_.messages)) Waiting::give_up(under_way_.messages);
  }
  const transport::Progress* limited_by() const noexcept override { return limited_by_.get(); }
  void count_steps() noexcept {
    auto steps = static_cast<std::uint64_t>(phase_) + static_cast<std::uint64_t>(offset_);
    steps += Waiting::steps_of(under_way_.messages);
    if (std::exchange(under_way_.steps_seen, steps) != steps) repeat_step();
  }

  /// Later steps come behind what the program's stream holds now, and not behind what it is given meanwhile,
  /// with which they overlap: they go by a stream of the channel's. The program may end its own meanwhile.
  void follow_the_call() noexcept {
    try {
      const std::optional<int> home = home_of(call_.from, call_.to == nullptr ? call_.from : call_.to);
      if (home == ReductionScratch::host) return;
      const int of_stream = gpu::stream_device(stream_);
      const int device = of_stream >= 0 ? of_stream : home ? *home : gpu::current_device();
      const Stream own = channel_->stream(home.value_or(device));
      const Stream programs = stream_;
      if (gpu::capturing(programs)) {
        attempt([] {
          throw InvalidArgument("typewarp", "stream", "one that is being captured",
                                "must not be captured: a graph holds no messages");
        });
      } else {
        point_.emplace(device, programs);
      }
      stream_ = own;
    } catch (...) {  // then each message follows the program's stream itself
      point_.reset();
    }
  }

  bool is_done() {
    bool is_done = true;
    attempt([&] { is_done = !point_ || point_->done(); });
    return is_done;
  }

  bool has_ended(Phase phase) {
    if (phase == Phase::waits) return channel_->messages()->made(false) && turn_.is_next() && is_done();
    if (phase == Phase::combines) return is_done();
    Request& messages = under_way_.messages;
    if (!messages.ready()) return false;
    if (messages.active()) attempt([&] { Waiting::finish(messages); });
    under_way_.blocks.reset();
    return true;
  }

  Phase following(Phase phase) {
    point_.reset();
    switch (phase) {
      case Phase::gathers:
        return Phase::combines;
      case Phase::combines:
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
    switch (phase) {
      case Phase::gathers:
        if (!steps_) prepare();
        return exchange([&] { return steps_->gather(offset_); });
      case Phase::combines:
        return combine();
      case Phase::spreads:
        return exchange([&] { return steps_->spread(offset_); });
      case Phase::tells:
        return exchange([&] { return verdicts(); });
      default:
        steps_.reset();  // gives its memory back
        turn_.end();
    }
  }

  /// Without memory of the host nothing can be exchanged, so the channel is of no use from here on.
  void prepare() {
    try {
      transport::insist([&] { steps_.emplace(call_, ranks_).prepare_anyhow(); });
      if (steps_->piece() == 0) throw Error("typewarp: the MPI has been finalized");
    } catch (...) {
      channel_->messages()->spoil();
      phase_ = Phase::over;
      begin(phase_);
      throw;
    }
  }

  /// A rank that sends nothing for a step leaves others with messages of the wrong one: the channel is of no
  /// use to anybody then.
  template <class MessagesOf>
  void exchange(MessagesOf messages_of) {
    channel_->messages()->or_spoil([&] {
      under_way_.blocks =
          transport::insist([&] { return messages_of().along(channel_->messages(), stream_); });
      under_way_.messages = under_way_.blocks->begin();
    });
  }

  void combine() {
    // Made before what it is to follow.
    if (steps_->home() != ReductionScratch::host) point_.emplace(steps_->home());
    steps_->combine(offset_, stream_);
    if (point_) point_->record(stream_);
  }

  /// Each rank tells each whether it failed.
  BlockMessages verdicts() {
    verdict_.own = verdict_.failure ? 1 : 0;
    BlockMessages messages(call_.comm, ranks_.own);
    for (int rank = 0; rank < ranks_.all; ++rank) {
      if (rank == ranks_.own) continue;
      messages.send(rank, {&verdict_.own, MPI_INT}, {1, 0});
      messages.receive(rank, {verdict_.of_all.data(), MPI_INT}, {1, rank});
    }
    return messages;
  }

  template <class Act>
  void attempt(Act act) {
    try {
      act();
    } catch (...) {
      if (!verdict_.failure) verdict_.failure = std::current_exception();
    }
  }

  ReductionCall call_;
  Participants ranks_;
  Stream stream_;
  std::shared_ptr<ReductionChannel> channel_;
  std::shared_ptr<transport::Progress> limited_by_;
  Turn turn_;

  Phase phase_ = Phase::waits;
  std::int64_t offset_ = 0;  ///< of the step
  std::optional<ReduceScatterAllgather> steps_;
  std::optional<gpu::Event> point_;  ///< of a stream, that the phase waits for
  UnderWay under_way_;
  Verdict verdict_;
};

}  // namespace

std::shared_ptr<ReductionChannel> ReductionChannel::of(MPI_Comm comm) {
  std::shared_ptr<ReductionChannel> kept = transport::CommState::find<ReductionChannel>(comm);
  if (!kept) {
    kept = std::make_shared<ReductionChannel>(nullptr);
    transport::CommState::keep(comm, kept);
  }
  // What is told to the others comes last.
  if (!kept->messages_) kept->messages_ = transport::CollectiveContext::apart(comm);
  return kept;
}

Stream ReductionChannel::stream(int device) {
  const std::lock_guard lock(mutex_);
  return streams_.try_emplace(device, device).first->second.get();
}

std::shared_ptr<ReductionChannel> ReductionChannel::apart(MPI_Comm comm) {
  auto channel = transport::insist([] { return std::make_shared<ReductionChannel>(nullptr); });
  channel->messages_ = transport::CollectiveContext::apart(comm);
  channel->messages_->made(true);
  return channel;
}

Request start_reduction(const ReductionCall& call, const Participants& ranks,
                        const std::shared_ptr<ReductionChannel>& channel, Stream stream) {
  const auto made =
      transport::insist([&] { return std::make_shared<NonblockingReduction>(call, ranks, channel, stream); });
  made->advance(false);
  return transport::Internal::request(made);
}

}  // namespace typewarp::interpose
