// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/protocol/fragments/rendezvous_send.hpp"

namespace typewarp::transport {

/// Fragments in the sender's pool, which the receiver has mapped.
extern const ProtocolRow ipc_row;

/// The sender's pool of chunks, for a receiver that can map it.
struct PoolOffer {
  gpu::SharedMemory chunks;
  std::int32_t chunk_bytes;  ///< the longest fragment
  std::int32_t run;          ///< bytes of the message that cross a link together on average
};
/// The pool for fragments of `side`; nothing if other ranks cannot map one.
std::optional<PoolOffer> pool_for(SessionState& session, const MessageBuffer& side);
/// The pool that an announcement offers; nothing if it offers none that can be.
std::optional<PoolOffer> pool_offer(const Rts& rts);

// Common to protocols whose receiver maps the sender's memory.

/// Whether the sender may offer memory.
bool may_offer(const SendCase& message);
/// Whether the receiver may map what is offered.
bool may_map(const ReceiveContext& message);
/// Whether the message is faster through host memory, by copy engines. `memory`: that of the message, if it
/// is offered. Throws GpuError.
bool comes_by_engines(const ReceiveContext& message, const gpu::SharedMemory* memory);

/// A message that offers a pool for its fragments, and perhaps more.
class KeySend : public RendezvousSend {
 public:
  KeySend(const SendContext& message, MessageBuffer side, const std::optional<PoolOffer>& pool)
      : RendezvousSend(message, std::move(side)), pool_(pool) {}

 protected:
  void announce(Offers& offers) override;

 private:
  Carrier carrier() override;

  std::optional<PoolOffer> pool_;
};

}  // namespace typewarp::transport
