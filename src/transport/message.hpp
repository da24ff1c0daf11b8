// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

/// One MPI message of `bytes` packed bytes, also beyond the 2^31 - 1 that an int counts. All throw MpiError.
namespace typewarp::transport {

MPI_Request start_send(const std::byte* data, std::int64_t bytes, int destination, int tag, MPI_Comm comm);
/// Room for `bytes` bytes: a longer message is truncated, as MPI says.
MPI_Request start_receive(std::byte* data, std::int64_t bytes, int source, int tag, MPI_Comm comm);
/// How many bytes the message had that `status` tells of.
std::int64_t received_bytes(const MPI_Status& status);

}  // namespace typewarp::transport
