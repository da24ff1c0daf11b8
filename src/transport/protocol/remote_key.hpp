// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/channel/device_pools.hpp"

namespace typewarp::transport {

/// The key to all of a message that others can map, and be told the layout of; nothing where they cannot.
/// Says that it is not readable yet. Throws GpuError.
std::optional<RemoteKey> key_to(const MessageBuffer& side, const Ipc& sharing);

/// Adds the key to a pool for its fragments, which has a name.
void add_pool(RemoteKey& key, DevicePool& pool, const MessageBuffer& side, std::int64_t sector);

}  // namespace typewarp::transport
