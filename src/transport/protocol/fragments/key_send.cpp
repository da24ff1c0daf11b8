// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/fragments/key_send.hpp"

#include "transport/channel/ipc_channel.hpp"
#include "transport/protocol/fragments/fragment_receiver.hpp"

#include <algorithm>
#include <limits>

namespace typewarp::transport {
namespace {

constinit Traffic sent;

const char* sends(const SendCase& message, const SessionOptions& options, const Profile&) {
  if (!message.ipc || message.bytes < options.direct_bytes || is_plain(message, options)) return nullptr;
  return "the receiver can map the pool, and not the memory";
}

const char* receives(const ReceiveCase& message, const Profile&) {
  const bool possible = message.rts_chunks && message.ipc && message.fits;
  return possible && !message.by_engines ? "the sender's pool can be mapped" : nullptr;
}

std::shared_ptr<RendezvousSend> start(const SendContext& message, MessageBuffer& side) {
  RemoteKey key{};
  if (!add_pool(key, *message.session, side)) return nullptr;
  return std::make_shared<KeySend>(message, std::move(side), key);
}

std::unique_ptr<ReceiveProtocol> on_rts(const ReceiveContext& message) {
  SessionState& session = message.session;
  return receive_fragments(message, ipc_receive(session.ipc, session.device_pools, message.side, message.rts,
                                                session.comm, session.profile.direct));
}

}  // namespace

constinit const ProtocolRow ipc_row{.name = "shared chunks",
                                    .sent = &sent,
                                    .sends = sends,
                                    .receives = receives,
                                    .start = start,
                                    .on_rts = on_rts};

bool add_pool(RemoteKey& key, SessionState& session, const MessageBuffer& side) {
  DevicePool* const pool = session.device_pools.named(side);
  if (pool == nullptr) return false;
  key.chunks = *pool->name();
  key.chunk_bytes = static_cast<std::int32_t>(pool->fragment_bytes());
  key.run = static_cast<std::int32_t>(
      std::min<std::int64_t>(plan::average_run(side.plan, side.count, session.profile.direct.sector),
                             std::numeric_limits<std::int32_t>::max()));
  return true;
}

void KeySend::announce(Rts& rts) {
  key_.readable = readable();
  rts.offer = key_;
}

RendezvousSend::Carrier KeySend::carrier() {
  const Code verdict = cts_.cts.verdict;
  if (verdict != Code::shared && verdict != Code::shared_far) return RendezvousSend::carrier();
  if (key_.chunk_bytes == 0) cts_.refuse("asks for chunks that were not offered");
  return {ipc_row, ipc_send(*session_.device_pools.named(side_), verdict == Code::shared_far, cts_.data(),
                            cts_.answers())};
}

}  // namespace typewarp::transport
