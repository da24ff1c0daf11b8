// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/reductions/call_in_turn.hpp"

#include "transport/session.hpp"

#include <typewarp/error.hpp>

#include <utility>

namespace typewarp::interpose {

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
