// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/begun.hpp"
#include "transport/core.hpp"
#include "transport/side.hpp"

namespace typewarp::transport {

/// Posts a receive of at most `side.bytes` bytes; source and tag may be wildcards, the source MPI_PROC_NULL.
/// Throws MpiError, CudaError.
Begun begin_receive(Side side, const Peer& from);
/// Receives `found`, which holds one message that a probe took, and still does if this throws.
Begun receive_found(Side side, MPI_Comm comm, PendingMessages::Place&& found);
/// The rest of a receive that has got `descriptor`, of which `status` says where it came from. Within a
/// Transport.
Begun receive_announced(Side side, const Peer& from, const Descriptor& descriptor, const Status& status);

/// What is to be posted for a message of at most `bytes` bytes from `source`, with room for a descriptor
/// where one may come. What is longer than the longest plain message comes by descriptor if nobody else can
/// send it, nor ranks of the Transport by calls of the MPI's.
std::int64_t room_for(std::int64_t bytes, const Core& core, const CommState& comm, int source);

}  // namespace typewarp::transport
