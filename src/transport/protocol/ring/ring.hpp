// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/channel/ring/shm_ring.hpp"
#include "transport/protocol/select/protocol_row.hpp"

namespace typewarp::transport {

/// Through shared memory, between host memory of ranks on one host.
extern const ProtocolRow ring_row;

/// Of a Session that this protocol is connected in.
inline Rings& rings_of(SessionState& session) noexcept { return static_cast<Rings&>(*session.rings); }

/// For a message of so many bytes; none if all are in use.
OwnRing take_ring(SessionState& session, std::int64_t bytes);

/// The row's functions for blocking calls.
bool send_by_ring(SessionState& session, const MessageBuffer& side, const Peer& to, const SendPath& path);
void receive_by_ring(SessionState& session, const MessageBuffer& side, const Rts& rts);

}  // namespace typewarp::transport
