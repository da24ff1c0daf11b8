// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/channel/channel.hpp"
#include "transport/mpi/private_comm.hpp"

#include <memory>

namespace typewarp::transport {

/// By the MPI, through chunks of host memory, pinned where there is a GPU, or from and to consecutive host
/// memory of the user's. What is passed must outlive them.
std::unique_ptr<SendChannel> pinned_mpi_send(FixedPool& pool, const MessageBuffer& side, const Peer& to);
/// Of a message that `rts` announces.
std::unique_ptr<ReceiveChannel> pinned_mpi_receive(FixedPool& pool, const MessageBuffer& side, const Rts& rts,
                                                   const PrivateComm& comm);

}  // namespace typewarp::transport
