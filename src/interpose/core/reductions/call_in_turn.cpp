// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/reductions/call_in_turn.hpp"

#include "transport/session.hpp"

#include <typewarp/error.hpp>

#include <utility>

namespace typewarp::interpose {
namespace {

constexpr std::uint64_t is_mapped = 1;  ///< of a rank, by itself

}  // namespace

StartedAtOnce::StartedAtOnce(DirectReductions& reductions, RankAtBoard& board,
                             const std::optional<DirectNumbers>& own, ChannelMessages& messages)
    : reductions_(reductions),
      board_(board),
      own_(own),
      messages_(messages),
      offers_(static_cast<std::size_t>(messages.ranks().all)) {}

bool StartedAtOnce::advance(Stream stream, FirstFailure& failure) {
  while (phase_ != Phase::made && phase_ != Phase::refused) {
    if (!has_ended(failure)) return false;
    phase_ = following();
    failure.attempt([&] { begin(stream, failure); });
  }
  return true;
}

void StartedAtOnce::give_up() noexcept {
  if (std::exchange(is_given_up_, true)) return;
  if (phase_ == Phase::asks || phase_ == Phase::maps) board_.give_up();
  if (phase_ == Phase::launched) stop_all();
}

void StartedAtOnce::stop_all() noexcept {
  board_.give_up();
  reductions_.abandon();
}

bool StartedAtOnce::has_ended(FirstFailure& failure) {
  switch (phase_) {
    case Phase::asks:
    case Phase::maps:
      return board_.look() != Board::Tally::waiting;
    case Phase::offers:
      return messages_.over(failure);
    case Phase::launched:
      return launch_has_ended(failure);
    default:
      return true;
  }
}

bool StartedAtOnce::launch_has_ended(FirstFailure& failure) {
  bool is_done = true;  // where the device does not tell any more
  failure.attempt([&] {
    is_done = reductions_.done();
    if (!is_done && !is_given_up_ && board_.is_given_up())
      throw Error("typewarp: another rank failed in this call");
  });
  if (failure) give_up();
  return is_done;
}

StartedAtOnce::Phase StartedAtOnce::following() noexcept {
  switch (phase_) {
    case Phase::begins:
      return reductions_.asks_next() ? Phase::asks : Phase::refused;
    case Phase::asks:
    case Phase::maps:
      return following_agreement();
    case Phase::offers:
      return Phase::maps;
    default:
      return Phase::made;
  }
}

StartedAtOnce::Phase StartedAtOnce::following_agreement() noexcept {
  const std::optional<Board::Row> agreed = board_.take();
  if (!agreed) {
    reductions_.abandon();
    return Phase::refused;
  }
  const auto given_by_all = static_cast<std::uint64_t>(agreed->back());
  if (phase_ == Phase::asks) {
    if (!reductions_.choose(given_by_all)) return Phase::refused;
    return reductions_.is_prepared() ? Phase::launched : Phase::offers;
  }
  if (given_by_all == is_mapped) return Phase::launched;
  reductions_.refuse();
  return Phase::refused;
}

void StartedAtOnce::begin(Stream stream, const FirstFailure& failure) {
  switch (phase_) {
    case Phase::asks:
      // A rank that has failed already tells why in the other way.
      return post([&] { return own_ && !failure && !is_given_up_ ? reductions_.bits_of(*own_) : 0; });
    case Phase::offers:
      return offer(stream);
    case Phase::maps:
      return post([&] {
        const bool is_so = !failure && reductions_.map(*own_, messages_.ranks().own, offers_);
        return is_so ? is_mapped : 0;
      });
    case Phase::launched:
      return is_given_up_ ? stop_all() : reductions_.start(*own_, stream);
    default:
      break;
  }
}

void StartedAtOnce::offer(Stream stream) {
  const auto rank = static_cast<std::size_t>(messages_.ranks().own);
  try {
    offers_[rank] = reductions_.offer(*own_, messages_.ranks().all);
  } catch (...) {  // this rank has nothing to offer
    offers_[rank] = {};
  }
  messages_.begin([&] { return messages_.to_all(&offers_[rank], offers_.data(), sizeof(Offer)); }, stream);
}

/// Nothing where it throws: others must hear of any.
template <class Find>
void StartedAtOnce::post(Find find) const noexcept {
  Board::Row own{};
  try {
    own.back() = static_cast<std::int64_t>(find());
  } catch (...) {
    own.back() = 0;
  }
  board_.post(own);
}

// The Session's communicator stays: the channel knows who is meant.
CallInTurn::CallInTurn(MPI_Comm comm, const Participants& ranks, std::shared_ptr<TurnChannel> channel,
                       const std::optional<DirectNumbers>& at_once)
    : Operation({MPI_ANY_SOURCE, MPI_ANY_TAG, comm}, nullptr),
      channel_(std::move(channel)),
      limited_by_(transport::progress_of(transport::current())),
      messages_(transport::current()->comm.get(), ranks, channel_->messages()) {
  static_assert(Boards::most_in_turn <= gpu::NumbersOfRanks::most_ranks);
  if (channel_->at_once() != nullptr)
    at_once_.emplace(channel_->at_once()->calls, channel_->at_once()->board, at_once, messages_);
}

void CallInTurn::follow(Stream programs, std::optional<int> of_data) noexcept {
  stream_ = programs;
  try {
    const int of_stream = gpu::stream_device(programs);
    const int device = of_stream >= 0 ? of_stream : of_data ? *of_data : gpu::current_device();
    const Stream own = channel_->stream(of_data.value_or(device));
    if (gpu::capturing(programs)) {
      failure_.attempt([] {
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

bool CallInTurn::run(bool /*block*/) {
  while (stage_ != Stage::over) {
    count_steps();
    if (!has_ended()) return false;
    stage_ = following();
  }
  turn_.end();
  if (std::exchange(is_told_, true)) return true;
  if (failure_) std::rethrow_exception(failure_.what());
  if (messages_.some_told()) throw Error("typewarp: another rank failed in this call");
  return true;
}

// Others wait for this rank: its steps are made all the same.
void CallInTurn::fail() {
  is_told_ = true;
  if (at_once_) at_once_->give_up();
  messages_.give_up();
}

bool CallInTurn::has_turn() {
  if (!channel_->messages()->made(false) || !turn_.is_next()) return false;
  bool is_done = true;
  failure_.attempt([&] { is_done = !point_ || point_->done(); });
  return is_done;
}

bool CallInTurn::has_ended() {
  switch (stage_) {
    case Stage::waits:
      return has_turn();
    case Stage::at_once:
      return at_once_->advance(stream_, failure_);
    default:
      return go_on_by_messages();
  }
}

CallInTurn::Stage CallInTurn::following() const noexcept {
  if (stage_ == Stage::waits && at_once_) return Stage::at_once;
  const bool is_made = stage_ == Stage::at_once && at_once_->is_made();
  return is_made || stage_ == Stage::by_messages ? Stage::over : Stage::by_messages;
}

void CallInTurn::count_steps() noexcept {
  auto steps = static_cast<std::uint64_t>(stage_) + messages_.steps() + steps_by_messages();
  if (at_once_) steps += at_once_->steps();
  if (std::exchange(steps_seen_, steps) != steps) repeat_step();
}

}  // namespace typewarp::interpose
