// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/channel/channel.hpp"
#include "transport/channel/device_pools.hpp"
#include "transport/tuning/gpu_channel_policy.hpp"

namespace typewarp::transport {

/// By a link, through chunks of device memory, or from and to consecutive memory of the user's that it takes.
std::unique_ptr<SendChannel> link_send(const GpuPath& way, const Peer& to);
/// Of a message that `rts` announces. What is passed must outlive it.
std::unique_ptr<ReceiveChannel> link_receive(const GpuPath& way, const Rts& rts,
                                             const GpuChannelPolicy& policy);

}  // namespace typewarp::transport
