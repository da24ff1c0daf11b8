// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/begun.hpp"
#include "transport/side.hpp"

namespace typewarp::transport {

/// Posts a receive of at most `side.bytes` bytes; source and tag may be wildcards, the source MPI_PROC_NULL.
/// Throws MpiError, CudaError.
Begun begin_receive(Side side, const Peer& from);

}  // namespace typewarp::transport
