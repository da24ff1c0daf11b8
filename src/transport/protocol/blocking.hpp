// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/mpi/point_to_point.hpp"
#include "transport/buffer/message_buffer.hpp"

#include <typewarp/transport.hpp>

/// Blocking calls of short messages of host memory, made as one blocking call of the MPI: without an
/// operation, an allocation or a lock, which take longer than such a message. Only where nobody else can call
/// meanwhile, and nothing else of the Transport is under way that would have to be moved on.
namespace typewarp::transport {

/// True if the message has been sent; false if nothing has been done, and it must be started as others are.
/// `known` is then what route() says of the buffer, if it was asked. Throws InvalidArgument, MpiError.
bool send_at_once(const Names& names, const void* buffer, std::int64_t count, const Plan& plan,
                  const Peer& to, Stream stream, std::optional<Route>& known);

/// The same of a receive, which may turn out to be announced, and then waits for what was.
std::optional<Status> receive_at_once(const Names& names, void* buffer, std::int64_t count, const Plan& plan,
                                      const Peer& from, Stream stream, std::optional<Route>& known);

}  // namespace typewarp::transport
