// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/fragments/rendezvous_send.hpp"

#include "transport/channel/transfer_channel.hpp"
#include "transport/protocol/fragments/fragment_receiver.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace typewarp::transport {
namespace {

constinit Traffic sent;

/// The longest fragment that the sender can send; 0: any.
struct HostOffer {
  std::int32_t longest_fragment;
};

const char* sends(const SendCase&) { return "beyond the eager limit"; }

const char* receives(const ReceiveContext&) { return "nothing else is possible"; }

std::shared_ptr<RendezvousSend> start(const SendContext& message, MessageBuffer& side) {
  return std::make_shared<RendezvousSend>(message, std::move(side));
}

std::unique_ptr<ReceiveProtocol> on_rts(const ReceiveContext& message) {
  if (message.rts.bytes > message.side.bytes) return refuse(message);
  const auto offer = message.rts.offers.find<HostOffer>(host_row.id);
  if (!offer || offer->longest_fragment < 0) {
    throw Error("typewarp: an announcement of rank " + std::to_string(message.rts.sender) +
                " of the Session has fragments that cannot be");
  }
  SessionState& session = message.session;
  return receive_fragments(message, pinned_mpi_receive(session.host_pools.incoming, message.side, message.rts,
                                                       offer->longest_fragment, session.comm));
}

}  // namespace

constinit const ProtocolRow host_row{.name = "pipelined",
                                     .sent = &sent,
                                     .id = 1,
                                     .sends = sends,
                                     .receives = receives,
                                     .start = start,
                                     .on_rts = on_rts};

Rts announcement(SessionState& session, const MessageBuffer& side) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const std::int64_t longest =
      side.in_place() ? 0 : std::min(most, session.host_pools.outgoing.chunk_bytes());
  Rts rts{.bytes = side.bytes, .sender = session.comm.rank()};
  rts.offers.add(host_row.id, HostOffer{static_cast<std::int32_t>(longest)});
  return rts;
}

RendezvousSend::RendezvousSend(const SendContext& message, MessageBuffer side)
    : Operation(message.to, progress_of(message.session)),
      session_(*message.session),
      by_(message.by),
      side_(std::move(side)),
      cts_(message.session->comm, message.receiver) {
  status_.bytes = side_.bytes;
}

void RendezvousSend::start() {
  turn_ = side_.turn();
  post();
}

void RendezvousSend::start_failed(std::exception_ptr why) {
  given_up_ = true;  // no device is asked for anything
  post();
  give_up(std::move(why));
}

void RendezvousSend::post() {
  Rts rts = announcement(session_, side_);
  announce(rts.offers);
  if (by_.answer == nullptr) {
    cts_.open();
    rts.reply_tag = cts_.tag();
    cts_.await();
  }
  rts_ = rts.encode(session_.comm.identity());
  try {
    rts_sent_ = start_send(rts_.data(), rts_bytes, peer());
  } catch (...) {
    cts_.cancel();
    throw;
  }
  try {
    announced();
  } catch (...) {
    give_up(std::current_exception());  // what has been announced will be answered
  }
}

void RendezvousSend::withdraw() {
  if (state_ != State::waiting) return;
  rts_sent_.cancel();
  withdrawn_ = rts_sent_.active();
}

// If it is cancelled, nobody sees the announcement. MPIs cancel only messages to the own process, if any.
bool RendezvousSend::withdrawn() {
  MPI_Status end{};
  if (!withdrawn_ || !rts_sent_.test(&end)) return false;
  withdrawn_ = false;
  status_.cancelled = is_cancelled(end);
  if (status_.cancelled) cts_.cancel();
  return status_.cancelled;
}

bool RendezvousSend::run(bool) {
  if (withdrawn()) return true;
  while (state_ == State::waiting) {
    if (!answered()) return false;
    count_step();
    obey();
  }
  if (state_ == State::ordering && !readable()) return false;
  if (state_ == State::ordering) state_ = State::moving;
  if (state_ == State::moving) {
    const std::int64_t before = fragments_->steps();
    const bool done = fragments_->advance();
    if (fragments_->steps() != before) count_step();
    wait_for_memory(fragments_->waits_for_memory());
    if (!done) return false;
    state_ = State::leaving;
  }
  return left();
}

void RendezvousSend::go_on(const Cts& cts) noexcept {
  cts_.cts = cts;
  try {
    obey();
  } catch (...) {
    give_up(std::current_exception());
  }
}

void RendezvousSend::obey() {
  state_ = State::leaving;
  switch (cts_.cts.code) {
    case Code::refused:
      return;
    case Code::taken:
      if (!given_up_) by_.sent->count(side_.bytes);
      return;
    case Code::failed:
      if (given_up_) return;
      throw Error("typewarp: the receiver, rank " + std::to_string(cts_.receiver()) +
                  " of the Session, failed to read the message");
    case Code::fragments:
      return send_fragments();
    case Code::asks:
      if (serve()) state_ = State::waiting;
      return;
  }
  cts_.refuse("is of no kind");
}

void RendezvousSend::send_fragments() {
  const std::int64_t bytes = cts_.cts.fragment_bytes;
  const ProtocolRow* by = nullptr;
  bool fits = false;
  try {
    Carrier carrier = this->carrier();
    by = &carrier.by;
    fits = bytes > 0 && (carrier.channel->in_place() || bytes <= carrier.channel->longest());
    fragments_.emplace(std::move(carrier.channel), side_, fits ? bytes : 1);
  } catch (...) {
    // A receiver that waits for fragments by the MPI is told that none come.
    const ProtocolRow* const wanted = row_of(static_cast<ChannelId>(cts_.cts.channel));
    if (wanted != nullptr && wanted->library == nullptr) notice_ = start_send(nullptr, 0, cts_.data());
    throw;
  }
  state_ = given_up_ ? State::moving : State::ordering;
  if (given_up_) return fragments_->fail();
  if (!fits) cts_.refuse("asks for fragments of a length that cannot be");  // and is told that none come
  by->sent->count(side_.bytes);
}

RendezvousSend::Carrier RendezvousSend::carrier() {
  if (!cts_.wants(host_row)) cts_.refuse("asks for what was not offered");
  return {host_row, pinned_mpi_send(session_.host_pools.outgoing, side_, cts_.data())};
}

void RendezvousSend::fail() {
  given_up_ = true;
  drop();
}

// A receiver with an offer will answer: it either asks for data, and is told that none comes, or has read it
// already.
void RendezvousSend::drop() {
  if (state_ == State::waiting && !cts_.awaits()) state_ = State::leaving;
  if (state_ == State::ordering) state_ = State::moving;
  if (state_ == State::moving) fragments_->fail();
}

}  // namespace typewarp::transport
