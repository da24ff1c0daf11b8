// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/channel/channel.hpp"
#include "transport/channel/device_pools.hpp"
#include "transport/channel/ipc/ipc_peers.hpp"
#include "transport/mpi/private_comm.hpp"
#include "transport/tuning/policy.hpp"

namespace typewarp::transport {

/// Through chunks of the sender's device, which the receiver has mapped. A message tells of each, and another
/// one that it has been read. `crosses`: a link between devices. `answers`: from where the receiver tells
/// that.
std::unique_ptr<SendChannel> ipc_send(DevicePool& pool, bool crosses, const Peer& to, const Peer& answers);

/// Of a message that `rts` announces with a key to the sender's pool; null if that cannot be mapped. What is
/// passed must outlive it. Throws GpuError.
std::unique_ptr<ReceiveChannel> ipc_receive(const IpcPeers& peers, DevicePools& own,
                                            const MessageBuffer& side, const Rts& rts,
                                            const PrivateComm& comm, const DirectPolicy& policy);

}  // namespace typewarp::transport
