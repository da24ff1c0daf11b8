// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/buffer/message_buffer.hpp"
#include "transport/mpi/point_to_point.hpp"

#include <typewarp/request.hpp>

/// Blocking calls of short messages of host memory, made as one blocking call of the MPI: without an
/// operation, a place in the list and its locks, which take longer than such a message. Only where nobody
/// else can call meanwhile, and nothing else of the Session is under way that would have to be moved on.
namespace typewarp::transport {

/// True if the message has been sent; false if nothing has been done, and it must be started as others are.
/// Throws MpiError.
bool send_at_once(const MessageBuffer& side, const Peer& to);

/// The same of a receive, which may turn out to be announced, and then waits for what was.
std::optional<Status> receive_at_once(const MessageBuffer& side, const Peer& from);

}  // namespace typewarp::transport
