// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/protocol/fragments/rendezvous_send.hpp"

namespace typewarp::transport {

/// Fragments in the sender's pool, which the receiver has mapped.
extern const ProtocolRow ipc_row;

/// Adds to `key` that to a pool for fragments of `side`. False if there is none that others can map.
bool add_pool(RemoteKey& key, SessionState& session, const MessageBuffer& side);

/// A message that is announced with a key: to its memory, to a pool for its fragments, or to both.
class KeySend : public RendezvousSend {
 public:
  KeySend(const SendContext& message, MessageBuffer side, const RemoteKey& key)
      : RendezvousSend(message, std::move(side)), key_(key) {}

 private:
  void announce(Rts& rts) override;
  Carrier carrier() override;

  RemoteKey key_;
};

}  // namespace typewarp::transport
