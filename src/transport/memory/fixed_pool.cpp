// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/memory/fixed_pool.hpp"

#include <algorithm>
#include <new>

namespace typewarp::transport {
namespace {

constexpr std::int64_t cache_line = 64;
// If not even this much pinned memory is available, the pool is pageable.
constexpr std::int64_t least_pinned_bytes = std::int64_t{64} << 10;

std::int64_t whole_lines(std::int64_t bytes) {
  return std::max(FixedPool::least_chunk_bytes, bytes / cache_line * cache_line);
}

}  // namespace

FixedPool::FixedPool(std::int64_t bytes, std::int64_t chunk_bytes)
    : bytes_(std::max(bytes, least_chunk_bytes)), chunk_bytes_(whole_lines(std::min(chunk_bytes, bytes_))) {}

FixedPool::FixedPool(std::byte* memory, std::int64_t bytes, std::int64_t chunk_bytes)
    : bytes_(bytes), chunk_bytes_(std::min(chunk_bytes, bytes)) {
  divide(memory);
}

Block FixedPool::take() {
  const std::lock_guard lock(mutex_);
  if (made_ == 0) allocate();
  if (free_.empty()) return {};
  std::byte* data = free_.back();
  free_.pop_back();
  return {*this, data};
}

std::int64_t FixedPool::chunk_bytes() {
  const std::lock_guard lock(mutex_);
  if (made_ == 0) allocate();
  return chunk_bytes_;
}

std::size_t FixedPool::taken() const {
  const std::lock_guard lock(mutex_);
  return made_ - free_.size();
}

void FixedPool::give(std::byte* data) noexcept {
  const std::lock_guard lock(mutex_);
  free_.push_back(data);
}

void FixedPool::allocate() {
  const std::int64_t asked = bytes_;
  while (!try_allocate(bytes_)) {
    if (bytes_ <= least_chunk_bytes) throw std::bad_alloc();
    bytes_ = std::max(least_chunk_bytes, bytes_ / 2);
  }
  if (bytes_ < asked) chunk_bytes_ = whole_lines(std::min(chunk_bytes_, bytes_ / least_chunks));
  divide(pinned_.data() != nullptr ? pinned_.data() : pageable_.data());
}

void FixedPool::divide(std::byte* memory) {
  const std::int64_t count = bytes_ / chunk_bytes_;
  free_.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = count - 1; i >= 0; --i) free_.push_back(memory + i * chunk_bytes_);
  made_ = free_.size();
}

bool FixedPool::try_allocate(std::int64_t bytes) {
  if (gpu::present()) {
    try {
      pinned_ = gpu::PinnedBuffer(bytes);
      return true;
    } catch (const GpuError&) {
      if (bytes > least_pinned_bytes) return false;
    }
  }
  try {
    pageable_ = HostBuffer(bytes);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

}  // namespace typewarp::transport
