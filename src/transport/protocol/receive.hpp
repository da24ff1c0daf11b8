// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/request/progress.hpp"
#include "transport/session.hpp"
#include "transport/buffer/message_buffer.hpp"
#include "transport/protocol/select/protocol_row.hpp"

namespace typewarp::transport {

/// Posts a receive of at most `side.bytes` bytes. Source and tag may be wildcards, the source also
/// MPI_PROC_NULL. Throws MpiError, GpuError.
Begun begin_receive(MessageBuffer side, const Peer& from);
/// Receives the message that a probe has found. If this throws, `found` still holds it.
Begun receive_found(MessageBuffer side, MPI_Comm comm, UnexpectedQueue::Place&& found);

/// The room to post for a message of at most `bytes` bytes from `source`, with room for an announcement if
/// one may come. Longer messages than the eager limit are announced, if all who may send are ranks of the
/// Session that send only through it.
std::int64_t room_for(std::int64_t bytes, const SessionState& session, const SessionComm& comm, int source);

/// Continues a receive that has got an announcement. `status` says where from.
Begun receive_announced(const std::shared_ptr<SessionState>& session, MessageBuffer side, const Peer& from,
                        const Rts& rts, const Status& status);

}  // namespace typewarp::transport
