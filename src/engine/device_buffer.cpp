// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/device_buffer.hpp>

#include "engine/runtime/memory.hpp"
#include "engine/runtime/share.hpp"

#include <typewarp/error.hpp>

namespace typewarp {

DeviceBuffer::DeviceBuffer(int device, std::int64_t bytes) : device_(device), bytes_(bytes) {
  if (bytes < 0) throw InvalidArgument("typewarp::DeviceBuffer", "bytes", bytes, "must not be negative");
  if (bytes > 0) memory_ = std::make_unique<gpu::DeviceAllocation>(device, bytes);
}
DeviceBuffer::DeviceBuffer(DeviceBuffer&&) noexcept = default;
DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&&) noexcept = default;
DeviceBuffer::~DeviceBuffer() = default;

void* DeviceBuffer::data() const noexcept { return memory_ ? memory_->data() : nullptr; }

void unmap_unused() noexcept { gpu::close_imports(); }

}  // namespace typewarp
