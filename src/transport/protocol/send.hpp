// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/buffer/message_buffer.hpp"
#include "transport/protocol/select/protocol_row.hpp"
#include "transport/request/progress.hpp"

#include <exception>
#include <span>
#include <vector>

namespace typewarp::transport {

class SessionState;
class SessionComm;

/// Chooses the protocol of a message.
SendPath choose_send(SessionState& session, const SessionComm& comm, const MessageBuffer& side,
                     const Peer& to);

/// Starts a message by the best protocol: by `path` if that is not null, or by a later row if that is
/// impossible. The rank of `to` may be MPI_PROC_NULL. Throws MpiError, GpuError.
Begun begin_send(MessageBuffer side, const Peer& to, SendMode mode, const SendPath* path = nullptr);

struct Sending {
  MessageBuffer side;
  Peer to;
  SendMode mode = SendMode::standard;
};
/// Starts several messages in order, and adds them to `started`, also if it throws. Device memory of messages
/// without an announcement is packed by one launch.
void begin_sends(const std::vector<Sending>& sendings, std::vector<Request>& started);
/// The same for a caller whose receivers count on the order of messages: a message that cannot be sent is
/// announced as failed, so that its receiver neither waits for it nor takes a later one for it. Returns the
/// error, or null. If some receiver could not be told, it throws the error after telling the others.
[[nodiscard]] std::exception_ptr begin_sends_or_announce_failure(const std::vector<Sending>& sendings,
                                                                 std::vector<Request>& started);
/// Announces messages that could not be started because of `why`. If some receiver could not be told, it
/// throws `why` after telling the others.
void begin_failed_sends(std::span<const Sending> sendings, const std::exception_ptr& why,
                        std::vector<Request>& started);

/// Announces a message that could not be started because of `why`: its receive ends with an error. Throws
/// `why` if the receiver takes no announcements; MpiError.
Begun begin_failed_send(MessageBuffer side, const Peer& to, std::exception_ptr why);

}  // namespace typewarp::transport
