// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/memory.hpp"
#include "transport/memory/host_buffer.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace typewarp::interpose {

/// Memory for what other ranks send to be combined. That of a device is kept for later calls, since other
/// ranks map it, and one call has all of it at a time.
class ReductionScratch {
 public:
  /// The most bytes, the same in all ranks of the Session; 0 without one.
  static std::int64_t most_bytes() noexcept;
  static constexpr int host = -1;

  /// At most most_bytes() bytes of a device, or of the host. Throws GpuError, std::bad_alloc, and Error where
  /// another thread has those of the device.
  ReductionScratch(int device, std::int64_t bytes);
  ReductionScratch(const ReductionScratch&) = delete;
  ReductionScratch& operator=(const ReductionScratch&) = delete;
  ~ReductionScratch();

  std::byte* data() const noexcept { return data_; }

 private:
  int device_;
  transport::HostBuffer of_host_;
  std::byte* data_;
};

/// What is kept of each device: a member of the job. Thread safe.
class ReductionScratchPool {
 public:
  /// The most bytes, on which the ranks of the Session have agreed.
  explicit ReductionScratchPool(std::int64_t most_bytes) noexcept : most_bytes_(most_bytes) {}

  std::int64_t most_bytes() const noexcept { return most_bytes_; }
  /// Throws GpuError, std::bad_alloc, and Error where it is taken.
  std::byte* take(int device);
  void give_back(int device) noexcept;

 private:
  struct OfDevice {
    std::unique_ptr<gpu::DeviceAllocation> memory;
    bool is_taken = false;
  };
  std::int64_t most_bytes_;
  std::mutex mutex_;
  std::map<int, OfDevice> of_devices_;
};

}  // namespace typewarp::interpose
