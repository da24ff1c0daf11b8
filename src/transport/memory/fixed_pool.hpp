// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/lent.hpp"
#include "engine/device/gpu.hpp"
#include "transport/memory/host_buffer.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace typewarp::transport {

class FixedPool;

/// A chunk of a pool, which the destructor gives back; or none.
class Block : public Lent<FixedPool, std::byte*> {
 public:
  using Lent::Lent;
  std::byte* data() const noexcept { return value(); }
};

/// A pool of equal chunks of host memory, pinned if there is a GPU. Never grows. Thread safe.
class FixedPool {
 public:
  /// At most `bytes`, in chunks of `chunk_bytes`, or one chunk if none fits. Allocates at the first use. If
  /// there is not enough memory, it tries half as much, and so on, with smaller chunks rather than fewer than
  /// `least_chunks`; pageable memory is the last resort.
  FixedPool(std::int64_t bytes, std::int64_t chunk_bytes);
  /// Divides memory that outlives this, into at least one chunk.
  FixedPool(std::byte* memory, std::int64_t bytes, std::int64_t chunk_bytes);

  /// No chunk if all are taken.
  Block take();
  std::int64_t chunk_bytes();
  std::size_t taken() const;

  static constexpr std::int64_t least_chunks = 4;
  static constexpr std::int64_t least_chunk_bytes = 64;

 private:
  friend Lent<FixedPool, std::byte*>;
  void give(std::byte* data) noexcept;
  void allocate();
  bool try_allocate(std::int64_t bytes);
  void divide(std::byte* memory);

  mutable std::mutex mutex_;
  std::int64_t bytes_;
  std::int64_t chunk_bytes_;
  gpu::PinnedBuffer pinned_;
  HostBuffer pageable_;
  std::vector<std::byte*> free_;
  std::size_t made_ = 0;
};

/// The host's chunks for fragments, in separate pools for sending and receiving (docs/internals/memory.md
/// says why).
struct HostPools {
  HostPools(std::int64_t bytes, std::int64_t chunk_bytes)
      : outgoing(bytes / 2, chunk_bytes), incoming(bytes / 2, chunk_bytes) {}

  FixedPool outgoing;
  FixedPool incoming;
};

/// Device memory for packed fragments.
struct PoolMemory {
  std::byte* data = nullptr;
  std::shared_ptr<void> owner;
  std::optional<gpu::SharedMemory> name = std::nullopt;  ///< by which other ranks can map it
};

}  // namespace typewarp::transport
