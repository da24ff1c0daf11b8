// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <cuda_runtime_api.h>

/// The memory that all cases share, allocated once.
namespace typewarp::bench {

struct FreeDevice {
  void operator()(std::byte* data) const noexcept { cudaFree(data); }
};
struct FreePinned {
  void operator()(std::byte* data) const noexcept { cudaFreeHost(data); }
};
using DeviceMemory = std::unique_ptr<std::byte, FreeDevice>;
using PinnedMemory = std::unique_ptr<std::byte, FreePinned>;

DeviceMemory allocate_device(std::int64_t bytes);
PinnedMemory allocate_pinned(std::int64_t bytes);

/// Memory that at least doubles when more is asked for; what it held is lost then.
template <typename Memory, Memory (*allocate)(std::int64_t)>
class Growing {
 public:
  std::byte* reserve(std::int64_t bytes) {
    if (bytes > bytes_) {
      memory_.reset();
      bytes_ = std::max(least, static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(bytes))));
      memory_ = allocate(bytes_);
    }
    return memory_.get();
  }

 private:
  static constexpr std::int64_t least = std::int64_t{64} << 20;

  Memory memory_;
  std::int64_t bytes_ = 0;
};

using DevicePool = Growing<DeviceMemory, allocate_device>;
using PinnedPool = Growing<PinnedMemory, allocate_pinned>;

struct Pool {
  DevicePool layout;   ///< where noncontiguous data lies
  DevicePool packed;   ///< packed bytes, or the destination of a copy
  DevicePool staging;  ///< packed bytes between the layouts of a copy, or of `pinned` while they are verified
  PinnedPool pinned;   ///< packed bytes in host memory
  PinnedPool gaps;     ///< data in host memory that lies there as in the device
};

/// A stream that does not synchronise with the default one.
class Queue {
 public:
  Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;
  ~Queue() { cudaStreamDestroy(stream_); }

  cudaStream_t get() const noexcept { return stream_; }
  void wait() const;

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace typewarp::bench
