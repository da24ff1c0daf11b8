// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/memory/host_buffer.hpp"

#include "base/never_destroyed.hpp"
#include "base/size_classes.hpp"

#include <algorithm>
#include <bit>
#include <mutex>
#include <new>
#include <vector>

namespace typewarp::transport {
namespace {

constexpr std::align_val_t alignment{64};
constexpr std::size_t smallest = 4096;

std::byte* allocate(std::size_t bytes) { return static_cast<std::byte*>(::operator new(bytes, alignment)); }
void release(std::byte* data) noexcept { ::operator delete(data, alignment); }

class BufferPool {
 public:
  std::byte* take(std::size_t capacity) {
    void* const idle = idle_.take(capacity);
    return idle != nullptr ? static_cast<std::byte*>(idle) : allocate(capacity);
  }

  void give(std::byte* data, std::size_t capacity) noexcept {
    if (!idle_.give(data, capacity)) release(data);
  }

  /// Remembers a buffer that is never reused, so that leak checkers find it.
  void abandon(std::byte* data) noexcept {
    const std::lock_guard lock(mutex_);
    try {
      abandoned_.push_back(data);
    } catch (const std::bad_alloc&) {
      return;
    }
  }

  std::size_t bytes() const noexcept { return idle_.bytes(); }

 private:
  SizeClasses idle_{pool_limit};
  std::mutex mutex_;
  std::vector<std::byte*> abandoned_;
};

// Never destroyed: a request with static storage may return its buffer at any time.
BufferPool& pool() {
  static NeverDestroyed<BufferPool> instance;
  return instance.get();
}

// The pool never takes larger buffers back, so these are not rounded up.
std::size_t capacity_for(std::size_t bytes) {
  return bytes > pool_limit ? bytes : std::bit_ceil(std::max(bytes, smallest));
}

}  // namespace

HostBuffer::HostBuffer(std::int64_t bytes) : capacity_(capacity_for(static_cast<std::size_t>(bytes))) {
  data_ = capacity_ > pool_limit ? allocate(capacity_) : pool().take(capacity_);
}

HostBuffer::~HostBuffer() {
  if (data_ == nullptr) return;
  if (capacity_ > pool_limit) {
    release(data_);
  } else {
    pool().give(data_, capacity_);
  }
}

void HostBuffer::abandon() noexcept {
  if (data_ != nullptr) pool().abandon(std::exchange(data_, nullptr));
}

std::size_t pooled_bytes() { return pool().bytes(); }

}  // namespace typewarp::transport
