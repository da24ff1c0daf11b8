// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/protocol/fragments/rendezvous_send.hpp"

namespace typewarp::transport {

/// Fragments in the sender's pool, which the receiver has mapped.
extern const ProtocolRow ipc_row;

/// The sender's pool, for whoever can map it.
struct PoolOffer {
  gpu::SharedMemory chunks;
  std::int32_t chunk_bytes;  ///< the longest fragment
  std::int32_t run;          ///< bytes of the message that cross a link together on average
};
/// That for fragments of `side`; nothing if there is none that others can map.
std::optional<PoolOffer> pool_for(SessionState& session, const MessageBuffer& side);
/// What an announcement offers of that; nothing if that cannot be.
std::optional<PoolOffer> pool_offer(const Rts& rts);

// What the protocols have in common whose receiver maps memory of the sender's.

/// Whether the sender may offer memory.
bool may_offer(const SendCase& message);
/// Whether the receiver may map what is offered.
bool may_map(const ReceiveContext& message);
/// Whether copy engines bring the message sooner, through host memory. `memory`: of the whole message, if
/// that is offered. Throws GpuError.
bool comes_by_engines(const ReceiveContext& message, const gpu::SharedMemory* memory);

/// A message that is announced with a pool for its fragments, or with more.
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
