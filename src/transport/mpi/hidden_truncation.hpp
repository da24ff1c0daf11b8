// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/mpi/point_to_point.hpp"

#include <cstdint>

namespace typewarp::transport {

/// The least room in which a receive that is posted shows that a message is longer than `bytes`. Open MPI
/// (4.1.4, 5.0.11) says nothing of that where a process sends a short one to itself, consecutive bytes up to
/// btl_self_eager_limit, and its receive was posted before: the status counts what the receive has room for.
/// Throws MpiError.
std::int64_t room_that_tells(std::int64_t bytes, const Peer& from);

}  // namespace typewarp::transport
