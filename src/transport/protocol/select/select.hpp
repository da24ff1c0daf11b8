// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/buffer/message_buffer.hpp"
#include "transport/protocol/select/receive_protocol.hpp"

#include <typewarp/session.hpp>

#include <cstdint>
#include <optional>

/// Which protocol a message goes by: the first row of the table that takes it.
namespace typewarp::transport {

struct ProtocolRow;
class SessionState;

/// A message of a Session that is to be sent.
struct SendCase {
  SessionState& session;
  const MessageBuffer& side;
  /// In the private communicator; nothing if it takes no announcements.
  std::optional<int> receiver;
};

struct Choice {
  const ProtocolRow* by = nullptr;
  const char* why = "";
};

/// What has been chosen for a message within a Session.
struct SendPath {
  SendCase message;
  Choice choice;
};

/// The first protocol of the table that takes the message, behind `after` if that is not null: one that
/// turned out to be impossible for this message.
Choice select(const SendCase& message, const ProtocolRow* after = nullptr);
/// The same of a message that was announced, behind `message.by`. Throws Error for offers that cannot be,
/// GpuError.
Choice select(const ReceiveContext& message);

/// The row of the table whose offers have this name, null if there is none.
const ProtocolRow* row_of(ChannelId channel) noexcept;

/// Whether a message is short enough to go as one that is not announced.
bool is_plain(std::int64_t bytes, const SessionOptions& options) noexcept;

/// Says on stderr what was chosen for a message, if TYPEWARP_VERBOSE is 1.
void tell(const char* call, std::int64_t bytes, int peer, const Choice& choice) noexcept;

}  // namespace typewarp::transport
