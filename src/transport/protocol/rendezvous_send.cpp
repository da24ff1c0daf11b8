// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/rendezvous_send.hpp"

#include "transport/channel/ipc_channel.hpp"
#include "transport/channel/link_channel.hpp"
#include "transport/channel/pinned_mpi.hpp"

#include <string>
#include <utility>

namespace typewarp::transport {

RendezvousSend::RendezvousSend(const std::shared_ptr<SessionState>& session, MessageBuffer side,
                               const Peer& to, SendSetup setup)
    : Operation(to, progress_of(session)),
      session_(*session),
      side_(std::move(side)),
      key_(std::move(setup.key)),
      cts_(session->comm, setup.receiver) {
  status_.bytes = side_.bytes;
  if (setup.ring) protocol_.emplace<RingWriter>(std::move(setup.ring), side_, session->profile.ring);
}

void RendezvousSend::start() {
  turn_ = side_.turn();
  announce();
}

void RendezvousSend::start_failed(std::exception_ptr why) {
  given_up_ = true;  // no device is asked for anything
  announce();
  give_up(std::move(why));
}

void RendezvousSend::announce() {
  constexpr int no_tag = -1;
  if (!ring()) cts_.open();
  Rts rts = announcement(session_, side_, ring() ? no_tag : cts_.tag());
  if (ring()) rts.ring = ring()->offer(turn_.reached(false));
  if (key_) key_->readable = turn_.reached(false);
  rts.offer = key_;
  if (!ring()) rts.link_bytes = link_limit();
  rts_ = rts.encode(session_.comm.identity());
  if (!ring()) cts_.await();
  try {
    rts_sent_ = start_send(rts_.data(), rts_bytes, peer());
  } catch (...) {
    cts_.cancel();
    throw;
  }
  state_ = State::waiting;  // whatever happens next: what has been announced will be answered
  try {
    if (ring()) fill_ring();
  } catch (...) {
    give_up(std::current_exception());
  }
}

// What is offered on this host needs no link, nor memory for it.
std::int32_t RendezvousSend::link_limit() {
  if (given_up_) return 0;
  if (!key_) link_way_ = session_.device_pools.link_way(side_);
  if (!link_way_) return 0;
  return link_way_->pool == nullptr ? Rts::any_length : static_cast<std::int32_t>(link_way_->longest());
}

void RendezvousSend::fill_ring() {
  if (!turn_.reached(false)) return;
  const std::int64_t before = ring()->steps();
  ring()->advance();
  if (ring()->steps() != before) count_step();
}

void RendezvousSend::withdraw() {
  if (state_ != State::waiting) return;
  rts_sent_.cancel();
  withdrawn_ = rts_sent_.active();
}

// Then nobody has seen the announcement, nor will. An MPI cancels what was sent to its own process, if
// anything.
bool RendezvousSend::withdrawn() {
  MPI_Status end{};
  if (!withdrawn_ || !rts_sent_.test(&end)) return false;
  withdrawn_ = false;
  status_.cancelled = is_cancelled(end);
  if (status_.cancelled && !ring()) cts_.cancel();
  return status_.cancelled;
}

bool RendezvousSend::run(bool) {
  if (withdrawn()) return true;
  while (state_ == State::waiting || state_ == State::ordering) {
    if (!(state_ == State::waiting ? answered() : ordered())) return false;
  }
  if (state_ == State::moving && !move()) return false;
  return rts_sent_.test() && get_.left();
}

bool RendezvousSend::move() {
  FragmentSender& sender = *fragments();
  const std::int64_t before = sender.steps();
  const bool done = sender.advance();
  if (sender.steps() != before) count_step();
  wait_for_memory(sender.waits_for_memory());
  if (done) state_ = State::leaving;
  return done;
}

bool RendezvousSend::take_answer() {
  if (!ring()) return cts_.arrived();
  const std::optional<Cts> answer = ring()->answer();
  if (!answer) return false;
  cts_.cts = *answer;
  protocol_.emplace<std::monostate>();
  return true;
}

bool RendezvousSend::answered() {
  if (!take_answer()) {
    if (ring() && !given_up_) fill_ring();
    return false;
  }
  count_step();
  obey();
  return true;
}

void RendezvousSend::go_on(const Cts& cts) {
  cts_.cts = cts;
  obey();
}

void RendezvousSend::obey() {
  state_ = State::leaving;
  switch (cts_.cts.verdict) {
    case Code::refused:
      break;
    case Code::taken:
      if (!given_up_) count_sent(key_ ? Carriage::direct : Carriage::ring, side_.bytes);
      break;
    case Code::failed:
      if (!given_up_) receiver_failed();
      break;
    case Code::granted:
    case Code::shared:
    case Code::shared_far:
    case Code::linked:
      send_fragments();
      break;
    case Code::send_wire:
      if (given_up_) return get_.send_failure(cts_.data());
      cts_.await();
      state_ = State::waiting;
      get_.send_wire(side_.plan, cts_.data());
      break;
    case Code::say_ready:
      if (given_up_) return get_.send_failure(cts_.data());
      state_ = State::ordering;
      break;
  }
}

void RendezvousSend::send_fragments() {
  protocol_.emplace<FragmentSender>(channel(), side_, cts_.cts.piece_bytes);
  state_ = given_up_ ? State::moving : State::ordering;
  if (given_up_) return fragments()->fail();
  count_sent(carriage(), side_.bytes);
}

std::unique_ptr<SendChannel> RendezvousSend::channel() {
  const Code verdict = cts_.cts.verdict;
  if (verdict == Code::shared || verdict == Code::shared_far) {
    return ipc_send(*session_.device_pools.named(side_), verdict == Code::shared_far, cts_.data(),
                    cts_.answers());
  }
  if (verdict == Code::linked && link_way_) return link_send(*link_way_, cts_.data());
  return pinned_mpi_send(session_.host_pools.outgoing, side_, cts_.data());
}

Carriage RendezvousSend::carriage() const {
  const Code verdict = cts_.cts.verdict;
  if (verdict == Code::shared || verdict == Code::shared_far) return Carriage::shared_chunks;
  if (verdict != Code::linked || !link_way_) return Carriage::pipelined;
  return link_way_->link->protocol() == Protocol::ucx ? Carriage::ucx : Carriage::gpu_aware;
}

void RendezvousSend::receiver_failed() const {
  throw Error("typewarp: the receiver, rank " + std::to_string(cts_.receiver()) +
              " of the Session, failed to read the message");
}

bool RendezvousSend::ordered() {
  if (!turn_.reached(false)) return false;
  if (fragments()) {
    state_ = State::moving;
    return true;
  }
  cts_.await();
  state_ = State::waiting;
  get_.send_ready(cts_.data());
  return true;
}

// A receiver that was offered something will answer, and then is told that there is nothing; or has read it,
// and says so.
void RendezvousSend::fail() {
  given_up_ = true;
  if (ring()) return ring()->fail();
  if (state_ == State::waiting && !cts_.awaits()) state_ = State::leaving;
  if (state_ == State::ordering && !fragments()) {
    state_ = State::leaving;
    return get_.send_failure(cts_.data());
  }
  if (state_ == State::ordering) state_ = State::moving;
  if (state_ == State::moving) fragments()->fail();
}

}  // namespace typewarp::transport
