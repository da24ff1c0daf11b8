// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/flags.hpp"

#include "engine/runtime/memory.hpp"
#include "engine/runtime/stream.hpp"
#include "engine/runtime/cuda/check.hpp"
#include "engine/runtime/device_resources.hpp"

#include <algorithm>
#include <span>

namespace typewarp::gpu {

struct DeviceFlags::State {
  State(int on, int flags)
      : device(on),
        count(flags),
        memory(device, flags * std::int64_t{sizeof(Flag)}, Storing::others),
        all_closed(flags * std::int64_t{sizeof(Flag)}),
        stream(private_stream(device, StreamRole::flags)) {}

  Flag* flags() const noexcept { return reinterpret_cast<Flag*>(memory.data()); }
  void close(int first, int end) const {
    TYPEWARP_CUDA(cudaMemcpyAsync(flags() + first, all_closed.data(),
                                  static_cast<std::size_t>(end - first) * sizeof(Flag),
                                  cudaMemcpyHostToDevice, stream));
  }

  int device, count;
  DeviceAllocation memory;
  PinnedBuffer all_closed;
  Stream stream;
};

DeviceFlags::DeviceFlags(int device_id, int flags) : state_(std::make_unique<State>(device_id, flags)) {
  const DeviceGuard guard(device_id);
  const RelaxedCapture relaxed;
  std::ranges::fill(
      std::span(reinterpret_cast<Flag*>(state_->all_closed.data()), static_cast<std::size_t>(flags)), closed);
  TYPEWARP_CUDA(cudaMemsetAsync(state_->memory.data(), 0, static_cast<std::size_t>(bytes()), state_->stream));
  TYPEWARP_CUDA(cudaStreamSynchronize(state_->stream));
}

DeviceFlags::~DeviceFlags() = default;

Flag* DeviceFlags::at(int i) const noexcept { return state_->flags() + i; }

std::int64_t DeviceFlags::bytes() const noexcept { return state_->count * std::int64_t{sizeof(Flag)}; }

void DeviceFlags::close() const {
  const DeviceGuard guard(state_->device);
  const RelaxedCapture relaxed;
  state_->close(0, 1);
  if (state_->count > 1) state_->close(1, state_->count);
  TYPEWARP_CUDA(cudaStreamSynchronize(state_->stream));
}

void DeviceFlags::abandon() noexcept { state_->memory.abandon(); }

}  // namespace typewarp::gpu
