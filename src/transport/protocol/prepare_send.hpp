// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/protocol/select.hpp"
#include "transport/session.hpp"

namespace typewarp::transport {

/// How a message will be sent, and what that takes.
struct SendSetup {
  SendChoice choice;
  int receiver = MPI_UNDEFINED;  ///< in the private communicator, if it takes announcements
  std::optional<RemoteKey> key = std::nullopt;
  OwnRing ring{};
};

/// For a message within a session. Throws GpuError, MpiError.
SendSetup prepare_send(SessionState& session, const CommState& comm, const MessageBuffer& side,
                       const Peer& to);

/// The announcement of a message, without the keys to it. Without a ring it is answered with `reply_tag`.
Rts announcement(SessionState& session, const MessageBuffer& side, int reply_tag);

}  // namespace typewarp::transport
