// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/buffer/message_buffer.hpp"
#include "transport/protocol/select/protocol_row.hpp"
#include "transport/request/progress.hpp"

#include <exception>
#include <vector>

namespace typewarp::transport {

class SessionState;
class CommState;

/// Of a message within a Session.
SendPath choose_send(SessionState& session, const CommState& comm, const MessageBuffer& side, const Peer& to);

/// Starts a message, by whichever protocol suits: by `path`, if that is not null, or what comes next where it
/// is impossible. `side.bytes` go to `to`, whose rank may be MPI_PROC_NULL. Throws MpiError, GpuError.
Begun begin_send(MessageBuffer side, const Peer& to, SendMode mode, const SendPath* path = nullptr);

struct Sending {
  MessageBuffer side;
  Peer to;
  SendMode mode = SendMode::standard;
};
/// Starts many at once, in order, and adds them to `started`, also where it throws. Device memory that goes
/// as it is is packed by one launch.
void begin_sends(const std::vector<Sending>& sendings, std::vector<Request>& started);
/// The same for who shares an order of messages with the receivers: what cannot be sent is announced as
/// failed, so that nobody waits for it, nor takes a later message for it. Returns the error that kept it from
/// being sent, or null; throws it where some receiver could not be told, when all others are.
[[nodiscard]] std::exception_ptr begin_sends_or_announce_failure(const std::vector<Sending>& sendings,
                                                                 std::vector<Request>& started);

/// In place of a message that could not be started, for `why`: the receive that it was for ends with an
/// error. Throws `why` where the receiver takes no announcements, MpiError.
Begun begin_failed_send(MessageBuffer side, const Peer& to, std::exception_ptr why);

}  // namespace typewarp::transport
