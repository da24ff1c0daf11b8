// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>

namespace typewarp {

namespace gpu {
class DeviceAllocation;
}

/// An allocation of device memory by cudaMalloc or the like, uninitialised: other processes of the host can
/// map it, so that their devices store into it. Memory that frameworks allocate is often of another kind.
class DeviceBuffer {
 public:
  /// Waits for no stream. Throws InvalidArgument for negative `bytes`; GpuError if there is no such device or
  /// no memory left.
  DeviceBuffer(int device, std::int64_t bytes);
  DeviceBuffer(DeviceBuffer&&) noexcept;
  DeviceBuffer& operator=(DeviceBuffer&&) noexcept;
  /// Frees it, which waits for the device. No other process may have it mapped any more: destroy exchanges by
  /// which peers store into it first.
  ~DeviceBuffer();

  /// Null if it has no bytes.
  void* data() const noexcept;

  std::int64_t bytes() const noexcept { return bytes_; }
  int device() const noexcept { return device_; }

 private:
  int device_;
  std::int64_t bytes_;
  std::unique_ptr<gpu::DeviceAllocation> memory_;
};

/// Unmaps memory of other processes that nothing in this process uses any more. Until then it stays mapped
/// for its next use, and is not available to anybody, even if its owner has freed it. May wait for devices.
void unmap_unused() noexcept;

}  // namespace typewarp
