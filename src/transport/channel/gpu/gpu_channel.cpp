// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/channel/gpu/gpu_channel.hpp"

namespace typewarp::transport {
Transfer::~Transfer() {
  if (handle_ != nullptr) home_->drop(handle_);
}

bool Transfer::test(std::int64_t* bytes) {
  if (home_ == nullptr) {
    MPI_Status status{};
    if (!posted_.test(&status)) return false;
    if (bytes != nullptr) *bytes = received_bytes(status);
    return true;
  }
  if (handle_ == nullptr) return true;
  try {
    if (!home_->test(handle_, bytes)) return false;
  } catch (...) {
    handle_ = nullptr;
    throw;
  }
  handle_ = nullptr;
  return true;
}

void Transfer::cancel() {
  posted_.cancel();
  if (handle_ != nullptr) home_->cancel(handle_);
}

// Not for managed memory, pools and virtual memory, as links may not support these.
bool GpuChannel::in_place(const MessageBuffer& side) const {
  return side.route.consecutive && gpu::peers_may_touch(side.route.first);
}

std::optional<PoolMemory> GpuChannel::allocate(const MessageBuffer& side, std::int64_t bytes) const {
  try {
    const auto buffer = std::make_shared<gpu::DeviceAllocation>(side.route.device, bytes);
    return PoolMemory{buffer->data(), buffer};
  } catch (const GpuError&) {
    return std::nullopt;
  }
}

}  // namespace typewarp::transport
