// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/channel/device_pools.hpp"

#include <utility>

namespace typewarp::transport {

DevicePool::DevicePool(PoolMemory memory, std::int64_t bytes, std::int64_t fragment_bytes, bool two_shares)
    : memory_(std::move(memory)), outgoing_(memory_.data, two_shares ? bytes / 2 : bytes, fragment_bytes) {
  if (two_shares) incoming_.emplace(memory_.data + bytes / 2, bytes / 2, fragment_bytes);
}

void DevicePools::make_by(const Ipc& sharing, GpuChannel* link, const std::int64_t& fragment_bytes) {
  const std::lock_guard lock(mutex_);
  pools_.clear();
  sharing_ = &sharing;
  link_ = link;
  fragment_bytes_ = &fragment_bytes;
}

DevicePool* DevicePools::of(const MessageBuffer& side) {
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] = pools_.try_emplace(side.route.device);
  if (is_new && bytes_ >= FixedPool::least_chunk_bytes) {
    std::optional<PoolMemory> memory = sharing_->allocate(side, bytes_);
    if (!memory && link_ != nullptr) memory = link_->allocate(side, bytes_);
    if (memory) {
      place->second =
          std::make_unique<DevicePool>(*std::move(memory), bytes_, *fragment_bytes_, link_ != nullptr);
    }
  }
  return place->second.get();
}

DevicePool* DevicePools::named(const MessageBuffer& side) {
  DevicePool* const pool = of(side);
  return pool != nullptr && pool->name() ? pool : nullptr;
}

std::optional<GpuPath> DevicePools::link_way(const MessageBuffer& side) {
  if (link_ == nullptr || !link_->carries(side)) return std::nullopt;
  if (link_->in_place(side)) return GpuPath{link_};
  DevicePool* const pool = of(side);
  return pool != nullptr ? std::optional(GpuPath{link_, pool}) : std::nullopt;
}

std::size_t DevicePools::taken() {
  const std::lock_guard lock(mutex_);
  std::size_t taken = 0;
  for (const auto& [device, pool] : pools_) taken += pool ? pool->taken() : 0;
  return taken;
}

}  // namespace typewarp::transport
