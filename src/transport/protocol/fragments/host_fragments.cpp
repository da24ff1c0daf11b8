// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/fragments/host_fragments.hpp"

#include "transport/channel/pinned_mpi.hpp"
#include "transport/protocol/fragments/fragment_receiver.hpp"
#include "transport/protocol/fragments/rendezvous_send.hpp"

#include <utility>

namespace typewarp::transport {
namespace {

constinit Traffic sent;

const char* sends(const SendCase&, const SessionOptions&, const Profile&) { return "beyond the eager limit"; }

const char* receives(const ReceiveCase&, const Profile&) { return "nothing else is possible"; }

std::shared_ptr<RendezvousSend> start(const SendContext& message, MessageBuffer& side) {
  return std::make_shared<RendezvousSend>(message, std::move(side));
}

std::unique_ptr<ReceiveProtocol> on_rts(const ReceiveContext& message) {
  if (message.rts.bytes > message.side.bytes) return refuse(message);
  SessionState& session = message.session;
  return receive_fragments(
      message, pinned_mpi_receive(session.host_pools.incoming, message.side, message.rts, session.comm));
}

}  // namespace

constinit const ProtocolRow host_row{.name = "pipelined",
                                     .sent = &sent,
                                     .sends = sends,
                                     .receives = receives,
                                     .start = start,
                                     .on_rts = on_rts};

}  // namespace typewarp::transport
