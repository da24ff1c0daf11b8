// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>

namespace typewarp {

namespace gpu {
class DeviceAllocation;
}

/// A plain allocation of memory of a device (cudaMalloc's), uninitialised: such as other processes of the
/// host can map, so that their devices store into it. What frameworks allocate is often of another kind.
class DeviceBuffer {
 public:
  /// Waits for no stream. Throws InvalidArgument for negative `bytes`; GpuError where there is no such device
  /// or no memory.
  DeviceBuffer(int device, std::int64_t bytes);
  DeviceBuffer(DeviceBuffer&&) noexcept;
  DeviceBuffer& operator=(DeviceBuffer&&) noexcept;
  /// Frees it, which waits for the device. Nobody else may have it mapped any more: exchanges that peers
  /// store into it by are destroyed before.
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

/// Unmaps memory of other processes that nothing of this one uses any more. It is mapped for the next use
/// until then, and is not free for anybody, also where its owner has freed it. May wait for devices.
void unmap_unused() noexcept;

}  // namespace typewarp
