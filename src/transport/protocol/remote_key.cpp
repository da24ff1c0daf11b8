// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/remote_key.hpp"

#include <algorithm>
#include <limits>

namespace typewarp::transport {

std::optional<RemoteKey> key_to(const MessageBuffer& side, const Ipc& sharing) {
  const std::optional<Bounds> span = bounds(side.plan, side.count);
  if (!span) return std::nullopt;
  const std::optional<gpu::SharedMemory> memory = sharing.name(side, *span);
  const plan::WireName* const name = memory ? plan::wire_name(side.plan) : nullptr;
  if (name == nullptr) return std::nullopt;
  RemoteKey key{};
  key.whole = true;
  key.memory = *memory;
  key.count = side.count;
  key.plan = name->identity;
  key.wire_bytes = name->bytes;
  if (name->bytes > std::int64_t{RemoteKey::longest_inline_wire}) return key;
  key.inline_bytes = static_cast<std::int32_t>(name->bytes);
  std::ranges::copy(name->short_wire, key.inline_wire.begin());
  return key;
}

void add_pool(RemoteKey& key, DevicePool& pool, const MessageBuffer& side, std::int64_t sector) {
  key.chunks = *pool.name();
  key.chunk_bytes = static_cast<std::int32_t>(pool.fragment_bytes());
  key.run = static_cast<std::int32_t>(std::min<std::int64_t>(average_run(side.plan, side.count, sector),
                                                             std::numeric_limits<std::int32_t>::max()));
}

}  // namespace typewarp::transport
