// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/ring/ring.hpp"

#include "engine/host/pool.hpp"
#include "transport/protocol/fragments/rendezvous_send.hpp"
#include "transport/protocol/ring/ring_message.hpp"

#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace typewarp::transport {
namespace {

constinit Traffic sent;

/// Keeps its ring until the receiver has answered.
class RingSend final : public RendezvousSend {
 public:
  RingSend(const SendContext& message, MessageBuffer side, OwnRing ring)
      : RendezvousSend(message, std::move(side)),
        writer_(std::in_place, std::move(ring), side_, session_.profile.ring) {}

 private:
  void announce(Offers& offers) override { offers.add(ring_row.id, writer_->offer(readable())); }

  void announced() override {
    if (!readable()) return;
    const std::int64_t before = writer_->steps();
    writer_->advance();
    if (writer_->steps() != before) count_step();
  }

  bool answered() override {
    if (const std::optional<Cts> answer = writer_->answer()) {
      cts_.cts = *answer;
      writer_.reset();
      return true;
    }
    if (!given_up()) announced();
    return false;
  }

  void drop() override {
    if (writer_) return writer_->fail();
    RendezvousSend::drop();
  }

  std::optional<RingWriter> writer_;
};

class RingReceive final : public ReceiveProtocol {
 public:
  explicit RingReceive(const ReceiveContext& message)
      : ReceiveProtocol(message),
        reader_(rings_of(message.session), message.session.profile.ring, message.side, message.rts,
                *ring_offer(message.rts)) {}

  bool advance() override {
    const bool done = reader_.advance();
    steps_ = reader_.steps();
    return done;
  }
  void discard() override { reader_.discard(); }

 private:
  RingReader reader_;
};

const char* sends(const SendCase& message) {
  const RingPolicy& policy = message.session.profile.ring;
  const MessageBuffer& side = message.side;
  if (side.on_device() || !rings_of(message.session).reach(*message.receiver)) return nullptr;
  const bool long_enough = side.bytes >= (side.in_place() ? policy.least_in_place : policy.least_bytes);
  return long_enough ? "host memory of ranks on one host" : nullptr;
}

const char* receives(const ReceiveContext& message) {
  const RingPolicy& policy = message.session.profile.ring;
  const MessageBuffer& side = message.side;
  const std::optional<RingKey> ring = ring_offer(message.rts);
  if (!ring || message.rts.bytes > side.bytes || side.on_device()) return nullptr;
  const bool read_in_place = side.in_place() && ring->data != 0 && message.rts.bytes > policy.most_in_place;
  const bool may_read = policy.reads_memory && rings_of(message.session).may_read(message.rts.sender);
  if (read_in_place && !may_read) return nullptr;
  return read_in_place ? "it is copied out of the sender's memory" : "it is in a ring";
}

std::shared_ptr<RendezvousSend> start(const SendContext& message, MessageBuffer& side) {
  OwnRing ring = take_ring(*message.session, side.bytes);
  return ring ? std::make_shared<RingSend>(message, std::move(side), std::move(ring)) : nullptr;
}

std::unique_ptr<ReceiveProtocol> on_rts(const ReceiveContext& message) {
  return std::make_unique<RingReceive>(message);
}

void answer(SessionState& session, const Rts& rts, const Cts* answer) {
  const Ring ring = rings_of(session).of(rts.sender, *ring_offer(rts));
  if (answer != nullptr) ring.answer(*answer);
}

std::unique_ptr<ChannelState> prepare(SessionState& session) {
  const Protocol asked_for = session.options.protocol;
  const bool wanted = asked_for == Protocol::automatic || asked_for == Protocol::direct;
  return std::make_unique<Rings>(session.comm.size(), wanted);
}

}  // namespace

constinit const ProtocolRow ring_row{.name = "ring",
                                     .sent = &sent,
                                     .id = 6,
                                     .sends = sends,
                                     .receives = receives,
                                     .start = start,
                                     .on_rts = on_rts,
                                     .answer = answer,
                                     .send_at_once = send_by_ring,
                                     .receive_at_once = receive_by_ring,
                                     .prepare = prepare};

std::optional<RingKey> ring_offer(const Rts& rts) {
  if (!rts.offers.has(ring_row.id)) return std::nullopt;
  const auto ring = rts.offers.find<RingKey>(ring_row.id);
  // Positions in the ring go up to the end of the message.
  const bool fine = ring && ring->number >= 0 && ring->first > 0 &&
                    rts.bytes < std::numeric_limits<std::int64_t>::max() - ring->first;
  if (!fine) {
    throw Error("typewarp: an announcement of rank " + std::to_string(rts.sender) +
                " of the Session has a ring that cannot be");
  }
  return ring;
}

OwnRing take_ring(SessionState& session, std::int64_t bytes) {
  const RingPolicy& policy = session.profile.ring;
  return rings_of(session).take(bytes >= policy.long_from && host::default_threads() >= policy.least_threads);
}

}  // namespace typewarp::transport
