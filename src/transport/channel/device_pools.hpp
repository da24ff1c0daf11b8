// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/channel/gpu/gpu_channel.hpp"
#include "transport/channel/ipc/ipc_peers.hpp"
#include "transport/memory/fixed_pool.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <optional>

namespace typewarp::transport {

/// Memory of one device for packed fragments. Other ranks can map it if it has a name. With a link, which
/// writes to it, sending and receiving have separate halves (docs/internals/memory.md says why).
class DevicePool {
 public:
  DevicePool(PoolMemory memory, std::int64_t bytes, std::int64_t fragment_bytes, bool two_shares);

  const std::optional<gpu::SharedMemory>& name() const noexcept { return memory_.name; }
  FixedPool& outgoing() noexcept { return outgoing_; }
  FixedPool& incoming() noexcept { return incoming_ ? *incoming_ : outgoing_; }
  /// The length of the longest fragment: less than was asked for if a half is shorter.
  std::int64_t fragment_bytes() { return outgoing_.chunk_bytes(); }
  std::int64_t place(const std::byte* chunk) const noexcept { return chunk - memory_.data; }
  std::size_t taken() const { return outgoing_.taken() + (incoming_ ? incoming_->taken() : 0); }

 private:
  PoolMemory memory_;
  FixedPool outgoing_;
  std::optional<FixedPool> incoming_;
};

/// How a link carries fragments of a buffer.
struct GpuPath {
  GpuChannel* link;
  DevicePool* pool = nullptr;  ///< null: in place
  /// The longest fragment; 0: any.
  std::int64_t longest() const { return pool == nullptr ? 0 : pool->fragment_bytes(); }
};

/// A pool for each device on which a message has needed one. Thread safe.
class DevicePools {
 public:
  /// `bytes`: at most, for each pool.
  explicit DevicePools(std::int64_t bytes) noexcept : bytes_(bytes) {}

  /// How pools are allocated from now on, and the longest fragment. `link` may be null. Before any message.
  void make_by(const Ipc& sharing, GpuChannel* link, const std::int64_t& fragment_bytes);
  /// The pool on the buffer's device, allocated at the first call; null if that fails.
  DevicePool* of(const MessageBuffer& side);
  /// The same if other ranks can map it; else null.
  DevicePool* named(const MessageBuffer& side);
  /// Nothing if there is no link, or it cannot carry the buffer.
  std::optional<GpuPath> link_way(const MessageBuffer& side);

  /// The number of chunks that messages hold.
  std::size_t taken();

 private:
  std::int64_t bytes_;
  const Ipc* sharing_ = nullptr;
  GpuChannel* link_ = nullptr;
  const std::int64_t* fragment_bytes_ = nullptr;
  std::mutex mutex_;
  std::map<int, std::unique_ptr<DevicePool>> pools_;  ///< by device
};

}  // namespace typewarp::transport
