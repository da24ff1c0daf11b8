// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <limits>
#include <mutex>
#include <new>

namespace typewarp {

/// Idle buffers by capacity, a power of two. They are linked through their first bytes, so that giving one
/// back does not allocate. Never frees any. Thread safe.
class SizeClasses {
 public:
  /// No more than `limit` bytes lie idle.
  explicit SizeClasses(std::size_t limit) noexcept : limit_(limit) {}

  /// Null if there is none.
  void* take(std::size_t capacity) noexcept {
    const std::lock_guard lock(mutex_);
    Idle*& first = of(capacity);
    if (first == nullptr) return nullptr;
    Idle* const buffer = first;
    first = buffer->next;
    bytes_ -= capacity;
    return buffer;
  }

  /// False if too much lies idle: the buffer remains the caller's.
  bool give(void* buffer, std::size_t capacity) noexcept {
    const std::lock_guard lock(mutex_);
    if (bytes_ + capacity > limit_) return false;
    Idle*& first = of(capacity);
    first = new (buffer) Idle{first};
    bytes_ += capacity;
    return true;
  }

  std::size_t bytes() const noexcept {
    const std::lock_guard lock(mutex_);
    return bytes_;
  }

 private:
  struct Idle {
    Idle* next;
  };

  Idle*& of(std::size_t capacity) noexcept {
    return firsts_[static_cast<std::size_t>(std::countr_zero(capacity))];
  }

  std::size_t limit_;
  mutable std::mutex mutex_;
  std::array<Idle*, std::numeric_limits<std::size_t>::digits> firsts_{};
  std::size_t bytes_ = 0;
};

}  // namespace typewarp
