// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/channel/channel.hpp"
#include "transport/channel/device_pools.hpp"
#include "transport/mpi/private_comm.hpp"
#include "transport/wire/rts.hpp"
#include "transport/tuning/policy.hpp"

#include <memory>

/// Fragments that are messages of the MPI's or of a link's, each of its own bytes. What is passed must
/// outlive the channels, which `rts` announces at the receiver; `longest_of_sender`: of the sender's
/// fragments, 0 for any.
namespace typewarp::transport {

/// By the MPI, through chunks of host memory, pinned where there is a GPU, or from and to consecutive host
/// memory of the user's.
std::unique_ptr<SendChannel> pinned_mpi_send(FixedPool& pool, const MessageBuffer& side, const Peer& to);
std::unique_ptr<ReceiveChannel> pinned_mpi_receive(FixedPool& pool, const MessageBuffer& side, const Rts& rts,
                                                   std::int64_t longest_of_sender, const PrivateComm& comm);

/// By a link, through chunks of device memory, or from and to consecutive memory of the user's that it takes.
std::unique_ptr<SendChannel> link_send(const GpuPath& path, const Peer& to);
std::unique_ptr<ReceiveChannel> link_receive(const GpuPath& path, const Rts& rts,
                                             std::int64_t longest_of_sender, const GpuChannelPolicy& policy);

}  // namespace typewarp::transport
