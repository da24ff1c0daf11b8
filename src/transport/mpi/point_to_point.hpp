// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/mpi/posted.hpp"

#include <cstddef>
#include <cstdint>

/// One MPI message of `bytes` packed bytes, also beyond the 2^31 - 1 that an int counts. All throw MpiError.
namespace typewarp::transport {

/// Where a message goes or comes from.
struct Peer {
  int rank;
  int tag;
  MPI_Comm comm;
};

/// When a send is complete: as the MPI likes, or not before it is matched.
enum class SendMode { standard, synchronous };

Posted start_send(const std::byte* data, std::int64_t bytes, const Peer& to,
                  SendMode mode = SendMode::standard);
/// Room for `bytes` bytes: a longer message is truncated, as MPI says.
Posted start_receive(std::byte* data, std::int64_t bytes, const Peer& from);
/// The same of a message that was matched already.
Posted start_receive(std::byte* data, std::int64_t bytes, MPI_Message matched);
/// Blocking. Throw MpiError.
void send(const std::byte* data, std::int64_t bytes, const Peer& to);
void receive(std::byte* data, std::int64_t bytes, const Peer& from, MPI_Status& status);
/// How many bytes the message had that `status` tells of.
std::int64_t received_bytes(const MPI_Status& status);

}  // namespace typewarp::transport
