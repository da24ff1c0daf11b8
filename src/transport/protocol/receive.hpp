// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/request/progress.hpp"
#include "transport/session.hpp"
#include "transport/buffer/message_buffer.hpp"
#include "transport/protocol/select/protocol_row.hpp"

namespace typewarp::transport {

/// Posts a receive of at most `side.bytes` bytes; source and tag may be wildcards, the source MPI_PROC_NULL.
/// Throws MpiError, GpuError.
Begun begin_receive(MessageBuffer side, const Peer& from);
/// Receives `found`, which holds one message that a probe took, and still does if this throws.
Begun receive_found(MessageBuffer side, MPI_Comm comm, UnexpectedQueue::Place&& found);

/// What is to be posted for a message of at most `bytes` bytes from `source`, with room for an announcement
/// where one may come. What is longer than the eager limit is announced if nobody else can send it, nor ranks
/// of the Session by calls of the MPI's.
std::int64_t room_for(std::int64_t bytes, const SessionState& session, const CommState& comm, int source);

/// The rest of a receive that has got an announcement, of which `status` says where it came from.
Begun receive_announced(const std::shared_ptr<SessionState>& session, MessageBuffer side, const Peer& from,
                        const Rts& rts, const Status& status);

}  // namespace typewarp::transport
