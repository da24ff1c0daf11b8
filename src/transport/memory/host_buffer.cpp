// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/memory/host_buffer.hpp"

#include "base/never_destroyed.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <mutex>
#include <new>
#include <vector>

namespace typewarp::transport {
namespace {

constexpr std::align_val_t alignment{64};
constexpr std::size_t smallest = 4096;

std::byte* allocate(std::size_t bytes) { return static_cast<std::byte*>(::operator new(bytes, alignment)); }
void release(std::byte* data) noexcept { ::operator delete(data, alignment); }

/// Free buffers, by capacity, a power of two. They are linked through their first bytes, so that giving one
/// back does not allocate.
class BufferPool {
 public:
  std::byte* take(std::size_t capacity) {
    {
      const std::lock_guard lock(mutex_);
      Idle*& first = shelf(capacity);
      if (first != nullptr) {
        Idle* buffer = first;
        first = buffer->next;
        bytes_ -= capacity;
        return reinterpret_cast<std::byte*>(buffer);
      }
    }
    return allocate(capacity);
  }

  void give(std::byte* data, std::size_t capacity) noexcept {
    {
      const std::lock_guard lock(mutex_);
      if (bytes_ + capacity <= pool_limit) {
        Idle*& first = shelf(capacity);
        first = new (data) Idle{first};
        bytes_ += capacity;
        return;
      }
    }
    release(data);
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

  std::size_t bytes() {
    const std::lock_guard lock(mutex_);
    return bytes_;
  }

 private:
  struct Idle {
    Idle* next;
  };

  Idle*& shelf(std::size_t capacity) {
    return shelves_[static_cast<std::size_t>(std::countr_zero(capacity))];
  }

  std::mutex mutex_;
  std::array<Idle*, std::numeric_limits<std::size_t>::digits> shelves_{};
  std::size_t bytes_ = 0;
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
