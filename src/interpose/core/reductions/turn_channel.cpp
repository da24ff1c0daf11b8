// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/reductions/turn_channel.hpp"

#include "interpose/core/collectives/agreement.hpp"
#include "transport/memory/reserve.hpp"
#include "transport/request/waiting.hpp"

#include <typewarp/error.hpp>

#include <algorithm>

namespace typewarp::interpose {

using transport::Waiting;

bool ChannelMessages::over(FirstFailure& failure) {
  if (!messages_.ready()) return false;
  if (messages_.active()) failure.attempt([&] { Waiting::finish(messages_); });
  blocks_.reset();
  return true;
}

void ChannelMessages::give_up() {
  if (!why_given_up_) why_given_up_ = std::make_exception_ptr(Error("typewarp: the call was given up"));
  if (!Waiting::over(messages_)) Waiting::give_up(messages_);
}

std::uint64_t ChannelMessages::steps() const noexcept { return Waiting::steps_of(messages_); }

void ChannelMessages::tell(std::uint64_t word, Stream stream) {
  std::ranges::fill(words_, none);
  std::uint64_t& own = words_[static_cast<std::size_t>(ranks_.own)] = word;
  exchange([&] { return to_all(&own, words_.data(), sizeof word); }, stream);
}

bool ChannelMessages::some_told() const noexcept {
  return std::ranges::any_of(words_, [](std::uint64_t word) { return word != none; });
}

BlockMessages ChannelMessages::to_all(const void* own, void* of_all, std::int64_t bytes) const {
  BlockMessages messages(comm_, ranks_.own);
  for (int rank = 0; rank < ranks_.all; ++rank) {
    if (rank == ranks_.own) continue;
    messages.send(rank, {own, MPI_BYTE}, {bytes, 0});
    messages.receive(rank, {of_all, MPI_BYTE}, {bytes, rank * bytes});
  }
  return messages;
}

std::shared_ptr<TurnChannel> TurnChannel::of(MPI_Comm comm) {
  std::shared_ptr<TurnChannel> kept = transport::CommState::find<TurnChannel>(comm);
  if (!kept) {
    kept = std::make_shared<TurnChannel>(nullptr);
    transport::CommState::keep(comm, kept);
  }
  const CommAgreement* const agreement = kept->at_once_ ? nullptr : CommAgreement::of(comm);
  if (const auto boards = agreement != nullptr ? agreement->known_boards() : nullptr) {
    if (const auto board = boards->in_turn()) kept->at_once_.emplace(boards, *board);
  }
  // What is told to the others comes last.
  if (!kept->messages_) kept->messages_ = transport::CollectiveContext::apart(comm);
  return kept;
}

Stream TurnChannel::stream(int device) {
  const std::lock_guard lock(mutex_);
  return streams_.try_emplace(device, device).first->second.get();
}

std::shared_ptr<TurnChannel> TurnChannel::apart(MPI_Comm comm) {
  auto channel = transport::insist([] { return std::make_shared<TurnChannel>(nullptr); });
  channel->messages_ = transport::CollectiveContext::apart(comm);
  channel->messages_->made(true);
  return channel;
}

}  // namespace typewarp::interpose
