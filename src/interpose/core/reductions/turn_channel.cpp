// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/reductions/turn_channel.hpp"

#include "interpose/core/collectives/comm_agreement.hpp"
#include "transport/memory/reserve.hpp"

namespace typewarp::interpose {

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
