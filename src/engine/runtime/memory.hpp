// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/engine.hpp>

#include "engine/runtime/device.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace typewarp::gpu {

PointerInfo pointer_info(const void* pointer);

/// Whether this is managed memory or a device's, as far as the driver knows. Unlike pointer_info() it makes
/// no context, so it may be asked before the program has chosen its device. False while no GPU is in_use().
bool on_device(const void* pointer) noexcept;

/// Whether only a device can touch this memory: a device's that is not managed. As on_device() it makes no
/// context, and says false while no GPU is in_use().
bool out_of_reach(const void* pointer) noexcept;

/// Whether peer access opens this device memory to other devices: that of plain allocations. Access to memory
/// pools and to virtual memory is granted separately, which this does not check.
bool peers_may_touch(const void* pointer);
/// Whether memory of a device is of its primary context: peer access opens no other one.
bool is_of_primary_context(const void* pointer);
/// Whether kernels of `device` can touch memory of which pointer_info(pointer) is `memory`.
inline bool reachable(const void* pointer, const PointerInfo& memory, int device) {
  if (memory.kind != MemoryKind::device) return memory.kind != MemoryKind::host;
  return memory.device == device ||
         (peers_may_touch(pointer) && is_of_primary_context(pointer) && can_reach(device, memory.device));
}

/// Page-locked host memory that every device can address, from a process-wide pool: returned to it on
/// destruction, when nothing in flight may use it any more. Sizes are rounded up to a power of two; the pool
/// keeps at most 512 MiB idle. Throws GpuError where there is no device or no memory.
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  explicit PinnedBuffer(std::int64_t bytes);
  PinnedBuffer(PinnedBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), capacity_(std::exchange(other.capacity_, 0)) {}
  PinnedBuffer& operator=(PinnedBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~PinnedBuffer();

  std::byte* data() const noexcept { return data_; }
  /// Never frees the memory: for the case that something may still use it that nobody can wait for.
  void abandon() noexcept { data_ = nullptr; }

 private:
  std::byte* data_ = nullptr;
  std::int64_t capacity_ = 0;
};

/// Whose kernels store to memory of a device while one of that device reads it.
enum class Storing { its_device, others };

/// A plain allocation of memory of a device, uninitialised. Throws GpuError where there is none. Freed on
/// destruction, which waits for the device.
class DeviceAllocation {
 public:
  DeviceAllocation(int device, std::int64_t bytes, Storing storing = Storing::its_device);
  DeviceAllocation& operator=(DeviceAllocation&&) = delete;
  ~DeviceAllocation();

  std::byte* data() const noexcept { return data_; }
  /// Never frees the memory, as PinnedBuffer::abandon().
  void abandon() noexcept { data_ = nullptr; }

 private:
  std::byte* data_;
};

/// Makes memory of a device 0, and waits for that. Throws GpuError.
void clear(int device, std::byte* memory, std::int64_t bytes);

}  // namespace typewarp::gpu
