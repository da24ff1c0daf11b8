// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/operation.hpp"
#include "transport/side.hpp"

#include <vector>

namespace typewarp::transport {

/// Starts a message, by whichever protocol suits. `side.bytes` go to `to`, whose rank may be MPI_PROC_NULL.
/// Throws MpiError, CudaError.
Request begin_send(Side side, const Peer& to, SendMode mode);

struct Sending {
  Side side;
  Peer to;
};
/// Starts many at once, in order. Device memory that goes as it is is packed by one launch.
std::vector<Request> begin_sends(const std::vector<Sending>& sendings);

}  // namespace typewarp::transport
