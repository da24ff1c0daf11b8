// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/rendezvous_send.hpp"

#include "transport/tuning/direct_policy.hpp"

#include <string>
#include <utility>

namespace typewarp::transport {
namespace {

constexpr std::byte ready{1};

}  // namespace

RendezvousSend::RendezvousSend(Side side, const Peer& to, std::shared_ptr<Core> home, int receiver,
                               std::optional<Offer> offer, OwnRing ring)
    : Operation(to, std::move(home)), side_(std::move(side)), receiver_(receiver), offer_(std::move(offer)) {
  status_.bytes = side_.bytes;
  if (ring) ring_.emplace(std::move(ring), side_, this->home()->ring_policy);
}

void RendezvousSend::start() {
  turn_ = side_.turn();
  announce();
}

void RendezvousSend::announce() {
  if (!ring_) tag_ = home()->tags.take();
  const std::int64_t piece_limit = side_.in_place() ? 0 : home()->outgoing.chunk_bytes();
  if (offer_) offer_->readable = turn_.reached(false);
  descriptor_ =
      ring_ ? announcement(*home(), side_, ring_->offer(turn_.reached(false)))
            : Descriptor{side_.bytes, piece_limit, home()->rank(), tag_.value(), offer_, link_limit()}.encode(
                  home()->identity());
  if (!ring_) await_answer();
  try {
    announcement_ = start_send(descriptor_.data(), descriptor_bytes, peer());
  } catch (...) {
    answer_.cancel();
    answer_.finish(true);
    throw;
  }
  state_ = State::waiting;  // whatever happens next: what has been announced will be answered
  try {
    if (ring_) fill_ring();
  } catch (...) {
    give_up(std::current_exception());
  }
}

void RendezvousSend::fill_ring() {
  if (!turn_.reached(false)) return;
  const std::int64_t before = ring_->steps();
  ring_->advance();
  if (ring_->steps() != before) count_step();
}

bool RendezvousSend::run(bool) {
  while (state_ == State::waiting || state_ == State::ordering) {
    if (!(state_ == State::waiting ? answered() : ordered())) return false;
  }
  if (state_ == State::moving && !move()) return false;
  return announcement_.test() && wire_sent_.test() && note_.test();
}

bool RendezvousSend::move() {
  const std::int64_t before = pieces_->steps();
  const bool done = pieces_->advance();
  if (pieces_->steps() != before) count_step();
  wait_for_memory(pieces_->waits_for_memory());
  if (done) state_ = State::leaving;
  return done;
}

void RendezvousSend::await_answer() {
  answer_ = start_receive(reinterpret_cast<std::byte*>(&clearance_), sizeof(clearance_),
                          {receiver_, tag_.value(), home()->comm()});
}

bool RendezvousSend::take_answer() {
  if (!ring_) return answer_.test();
  const std::optional<Clearance> answer = ring_->answer();
  if (!answer) return false;
  clearance_ = *answer;
  ring_.reset();
  return true;
}

bool RendezvousSend::answered() {
  if (!take_answer()) {
    if (ring_ && !given_up_) fill_ring();
    return false;
  }
  count_step();
  obey();
  return true;
}

void RendezvousSend::go_on(const Clearance& clearance) {
  clearance_ = clearance;
  obey();
}

void RendezvousSend::obey() {
  state_ = State::leaving;
  switch (clearance_.verdict) {
    case Verdict::refused:
      break;
    case Verdict::taken:
      if (!given_up_) count_sent(offer_ ? Carriage::direct : Carriage::ring, side_.bytes);
      break;
    case Verdict::failed:
      if (!given_up_) receiver_failed();
      break;
    case Verdict::granted:
    case Verdict::shared:
    case Verdict::shared_far:
    case Verdict::linked:
      take_pieces();
      break;
    case Verdict::send_wire:
    case Verdict::say_ready:
      if (given_up_) {
        note_failure();
      } else if (clearance_.verdict == Verdict::send_wire) {
        send_wire();
      } else {
        state_ = State::ordering;
      }
  }
}

void RendezvousSend::take_pieces() {
  const std::optional<SharedWay> shared = shared_way();
  pieces_.emplace(*home(), side_, clearing(), clearance_.piece_bytes, shared,
                  clearance_.verdict == Verdict::linked ? linked_ : std::nullopt);
  state_ = given_up_ ? State::moving : State::ordering;
  if (given_up_) return pieces_->fail();
  count_sent(carriage(), side_.bytes);
}

Carriage RendezvousSend::carriage() const {
  if (clearance_.verdict == Verdict::shared || clearance_.verdict == Verdict::shared_far) {
    return Carriage::shared_chunks;
  }
  if (clearance_.verdict != Verdict::linked || !linked_) return Carriage::pipelined;
  return linked_->link->protocol() == Protocol::ucx ? Carriage::ucx : Carriage::gpu_aware;
}

void RendezvousSend::receiver_failed() const {
  throw Error("typewarp: the receiver, rank " + std::to_string(receiver_) +
              " of the Transport, failed to read the message");
}

std::optional<SharedWay> RendezvousSend::shared_way() {
  const bool far = clearance_.verdict == Verdict::shared_far;
  if (!far && clearance_.verdict != Verdict::shared) return std::nullopt;
  return SharedWay{*home()->shared_chunks(side_), {receiver_, tag_.value(), home()->comm()}, far};
}

// What is offered on this host needs no link, nor memory for it.
std::int32_t RendezvousSend::link_limit() {
  if (!offer_) linked_ = home()->link_way(side_);
  if (!linked_) return 0;
  return linked_->chunks == nullptr ? Descriptor::any_length : static_cast<std::int32_t>(linked_->longest());
}

bool RendezvousSend::ordered() {
  if (!turn_.reached(false)) return false;
  if (pieces_) {
    state_ = State::moving;
    return true;
  }
  await_answer();
  state_ = State::waiting;
  note_ = start_send(&ready, 1, clearing());
  return true;
}

void RendezvousSend::send_wire() {
  wire_ = plan::to_wire(side_.plan, direct_policy.longest_wire).value();
  await_answer();
  state_ = State::waiting;
  wire_sent_ = start_send(wire_.data(), std::ssize(wire_), clearing());
}

void RendezvousSend::note_failure() {
  state_ = State::leaving;
  note_ = start_send(nullptr, 0, clearing());
}

// A receiver that was offered something will answer, and then is told that there is nothing; or has read it,
// and says so.
void RendezvousSend::fail() {
  given_up_ = true;
  if (ring_) return ring_->fail();
  if (state_ == State::waiting && !answer_.active()) state_ = State::leaving;
  if (state_ == State::ordering && !pieces_) return note_failure();
  if (state_ == State::ordering) state_ = State::moving;
  if (state_ == State::moving) pieces_->fail();
}

}  // namespace typewarp::transport
