// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/prepare_send.hpp"

#include "engine/host/pool.hpp"
#include "transport/protocol/remote_key.hpp"

namespace typewarp::transport {
namespace {

SendCase case_of(const SessionState& session, const MessageBuffer& side, std::optional<int> receiver) {
  SendCase message{.bytes = side.bytes, .on_device = side.on_device(), .in_place = side.in_place()};
  if (!receiver) return message;
  message.takes_rts = true;
  message.ipc = session.ipc.reaches(*receiver) && session.ipc.sharing().shares(side);
  message.ring = session.rings.reach(*receiver);
  if (side.bytes >= session.profile.ring.long_from) message.threads = host::default_threads();
  return message;
}

}  // namespace

SendSetup prepare_send(SessionState& session, const CommState& comm, const MessageBuffer& side,
                       const Peer& to) {
  const auto choose = [&](const SendCase& message, bool rings = true) {
    return select(message, session.options, session.profile, rings);
  };
  const std::optional<int> receiver = session.comms.receiver(comm, to.rank);
  SendCase message = case_of(session, side, receiver);
  SendSetup setup;
  setup.receiver = receiver.value_or(MPI_UNDEFINED);
  if (asks_for_name(message, session.options)) setup.key = key_to(side, session.ipc.sharing());
  message.named = setup.key.has_value();
  setup.choice = choose(message);
  if (setup.choice.offers_chunks) {
    if (DevicePool* const pool = session.device_pools.named(side)) {
      if (!setup.key) setup.key.emplace();
      add_pool(*setup.key, *pool, side, session.profile.direct.sector);
    } else if (setup.choice.way == Way::ipc_fragments) {
      message.ipc = false;
      setup.choice = choose(message);
    }
  }
  if (setup.choice.way == Way::ring) {
    setup.ring = session.rings.take(setup.choice.long_ring);
    if (!setup.ring) setup.choice = choose(message, false);
  }
  if (is_verbose()) print("send", side.bytes, to.rank, setup.choice.way, setup.choice.why);
  return setup;
}

Rts announcement(SessionState& session, const MessageBuffer& side, int reply_tag) {
  return {.bytes = side.bytes,
          .piece_limit = side.in_place() ? 0 : session.host_pools.outgoing.chunk_bytes(),
          .sender = session.comm.rank(),
          .reply_tag = reply_tag};
}

}  // namespace typewarp::transport
