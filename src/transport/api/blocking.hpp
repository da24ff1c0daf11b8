// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/buffer/message_buffer.hpp"
#include "transport/mpi/point_to_point.hpp"

#include <typewarp/request.hpp>

/// Blocking calls. Short messages of host memory take one blocking call of the MPI, or a ring: without an
/// operation, a place in the list and its locks, which take longer than such a message. Only where nobody
/// else can call meanwhile, and nothing else of the Session is under way that would have to be moved on.
namespace typewarp::transport {

/// `to` may be MPI_PROC_NULL. Throws MpiError, GpuError.
void send_blocking(MessageBuffer side, const Peer& to);
/// A message, which may turn out to be announced, and then is waited for as others are. Nothing if nothing
/// has been done, and it must be received as others are. Throws MpiError.
std::optional<Status> receive_at_once(const MessageBuffer& side, const Peer& from);

}  // namespace typewarp::transport
