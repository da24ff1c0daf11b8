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
/// writes to it, it has two shares for the reason that the host's has (docs/internals/protocols.md).
class DevicePool {
 public:
  DevicePool(DeviceMemory memory, std::int64_t bytes, std::int64_t fragment_bytes, bool two_shares);

  const std::optional<gpu::SharedMemory>& name() const noexcept { return memory_.name; }
  FixedPool& outgoing() noexcept { return outgoing_; }
  FixedPool& incoming() noexcept { return incoming_ ? *incoming_ : outgoing_; }
  /// Of the longest fragment: less than was asked for where a share is shorter.
  std::int64_t fragment_bytes() { return outgoing_.chunk_bytes(); }
  std::int64_t place(const std::byte* chunk) const noexcept { return chunk - memory_.data; }
  std::size_t taken() const { return outgoing_.taken() + (incoming_ ? incoming_->taken() : 0); }

 private:
  DeviceMemory memory_;
  FixedPool outgoing_;
  std::optional<FixedPool> incoming_;
};

/// How fragments of a message's buffer go by a link.
struct GpuPath {
  GpuChannel* link;
  DevicePool* pool = nullptr;  ///< null: in place
  /// Of a fragment; 0: any.
  std::int64_t longest() const { return pool == nullptr ? 0 : pool->fragment_bytes(); }
};

/// The pool of each device that messages have needed one on. Thread safe.
class DevicePools {
 public:
  /// Each of at most so many bytes.
  explicit DevicePools(std::int64_t bytes) noexcept : bytes_(bytes) {}

  /// Before any message: what pools are made by from now on, and the longest fragments. `link` may be null.
  void make_by(const Ipc& sharing, GpuChannel* link, const std::int64_t& fragment_bytes);
  /// Where this buffer is, allocated at the first call; null if there is none to be had.
  DevicePool* of(const MessageBuffer& side);
  /// The same where others can map it.
  DevicePool* named(const MessageBuffer& side);
  /// Nothing if there is no link, or it does not carry the buffer.
  std::optional<GpuPath> link_way(const MessageBuffer& side);

  /// Chunks of all pools that messages hold.
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
