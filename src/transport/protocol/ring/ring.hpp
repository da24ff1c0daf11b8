// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/protocol/ring/shm_ring.hpp"
#include "transport/protocol/select/protocol_row.hpp"

namespace typewarp::transport {

/// Through shared memory, between host memory of ranks on one host.
extern const ProtocolRow ring_row;

/// Of a Session that this protocol is connected in.
inline Rings& rings_of(const SessionState& session) noexcept {
  return static_cast<Rings&>(*session.channels[ring_row.id]);
}

/// What an announcement offers; nothing if it offers no ring. Throws Error for one that cannot be.
std::optional<RingKey> ring_offer(const Rts& rts);

/// For a message of so many bytes; none if all are in use.
OwnRing take_ring(SessionState& session, std::int64_t bytes);

/// The row's functions for blocking calls.
bool send_by_ring(const SendPath& path, const Peer& to);
void receive_by_ring(const ReceiveContext& message);

}  // namespace typewarp::transport
