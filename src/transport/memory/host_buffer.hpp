// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace typewarp::transport {

/// Uninitialised host memory from a process-wide pool, aligned to a cache line; the destructor gives it back.
/// Memory fresh from the system would cost a page fault every 4 KiB. Thread safe.
class HostBuffer {
 public:
  HostBuffer() = default;
  /// At least `bytes` > 0 bytes. Throws std::bad_alloc.
  explicit HostBuffer(std::int64_t bytes);
  HostBuffer(HostBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), capacity_(other.capacity_) {}
  HostBuffer& operator=(HostBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~HostBuffer();

  std::byte* data() const noexcept { return data_; }
  /// Leaks the memory on purpose: somebody may still write to it.
  void abandon() noexcept;

 private:
  std::byte* data_ = nullptr;
  std::size_t capacity_ = 0;
};

/// Bytes that the pool holds for later buffers, at most `pool_limit`.
std::size_t pooled_bytes();
inline constexpr std::size_t pool_limit = std::size_t{256} << 20;

}  // namespace typewarp::transport
