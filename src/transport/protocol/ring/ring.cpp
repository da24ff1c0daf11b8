// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/ring/ring.hpp"

#include "engine/host/pool.hpp"
#include "transport/protocol/fragments/rendezvous_send.hpp"
#include "transport/protocol/ring/ring_message.hpp"

#include <optional>
#include <utility>

namespace typewarp::transport {
namespace {

constinit Traffic sent;

/// Holds the ring until it is answered.
class RingSend final : public RendezvousSend {
 public:
  RingSend(const SendContext& message, MessageBuffer side, OwnRing ring)
      : RendezvousSend(message, std::move(side)),
        writer_(std::in_place, std::move(ring), side_, session_.profile.ring) {}

 private:
  void announce(Rts& rts) override { rts.ring = writer_->offer(readable()); }

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
        reader_(rings_of(message.session), message.session.profile.ring, message.side, message.rts) {}

  bool advance() override {
    const bool done = reader_.advance();
    steps_ = reader_.steps();
    return done;
  }
  void discard() override { reader_.discard(); }

 private:
  RingReader reader_;
};

const char* sends(const SendCase& message, const SessionOptions&, const Profile& profile) {
  const RingPolicy& policy = profile.ring;
  if (message.on_device || !message.ring) return nullptr;
  const bool long_enough = message.in_place
                               ? message.bytes >= policy.least_in_place
                               : message.bytes >= policy.least_bytes && message.bytes <= policy.most_bytes;
  return long_enough ? "host memory of ranks on one host" : nullptr;
}

const char* receives(const ReceiveCase& message, const Profile& profile) {
  const RingPolicy& policy = profile.ring;
  if (!message.rts_ring || !message.fits || message.on_device) return nullptr;
  const bool read_in_place = message.in_place && message.rts_data && message.bytes > policy.most_in_place;
  if (read_in_place && !(policy.reads_memory && message.may_read)) return nullptr;
  return read_in_place ? "it is copied out of the sender's memory" : "it is in a ring";
}

std::shared_ptr<RendezvousSend> start(const SendContext& message, MessageBuffer& side) {
  OwnRing ring = take_ring(*message.session, side.bytes);
  return ring ? std::make_shared<RingSend>(message, std::move(side), std::move(ring)) : nullptr;
}

std::unique_ptr<ReceiveProtocol> on_rts(const ReceiveContext& message) {
  return std::make_unique<RingReceive>(message);
}

void prepare(SessionState& session) {
  const Protocol asked_for = session.options.protocol;
  const bool wanted = asked_for == Protocol::automatic || asked_for == Protocol::direct;
  session.rings = std::make_unique<Rings>(session.comm.size(), wanted);
}

void connect(SessionState& session) {
  rings_of(session).share(session.comm.get(), session.comm.host());
  if (session.rings->reach(session.comm.rank())) session.progress.drive_mpi(session.comm.get());
}

}  // namespace

constinit const ProtocolRow ring_row{.name = "ring",
                                     .sent = &sent,
                                     .sends = sends,
                                     .receives = receives,
                                     .start = start,
                                     .on_rts = on_rts,
                                     .send_at_once = send_by_ring,
                                     .receive_at_once = receive_by_ring,
                                     .prepare = prepare,
                                     .connect = connect};

OwnRing take_ring(SessionState& session, std::int64_t bytes) {
  const RingPolicy& policy = session.profile.ring;
  return rings_of(session).take(bytes >= policy.long_from && host::default_threads() >= policy.least_threads);
}

}  // namespace typewarp::transport
