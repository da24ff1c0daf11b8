// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/peer_reduction.hpp"
#include "schedule/streams/peer_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace typewarp::exchange {

/// Memories that ranks have given, each mapped by all. A rank may drop one alone: calls whose sides lie in it
/// then find that it is not mapped everywhere.
class MappedMemories {
 public:
  /// Collective: each rank gives `bytes` on its device. Why not, in all ranks, if one cannot be mapped.
  /// Throws what the group throws.
  std::string add(ExchangeGroup& group, int device, std::byte* begin, std::int64_t bytes);
  /// Whether there is one that begins so.
  bool has(const void* begin) const noexcept;
  /// What uses it has ended at this rank.
  void drop(const void* begin) noexcept;
  /// Never unmaps them: kernels may use them for ever.
  void abandon() noexcept;

  /// Whether there has ever been one: the same in all ranks.
  bool any() const noexcept { return added_ > 0; }
  /// Where the bytes lie in one of them, if they do.
  gpu::MappedSide side_of(const std::byte* address, std::int64_t bytes) const noexcept;

 private:
  struct One {
    std::uint64_t number;  ///< from 1 on, of no other one
    const std::byte* begin;
    std::int64_t bytes;
    std::unique_ptr<PeerMemory> memory;
  };

  std::uint64_t added_ = 0;
  std::vector<One> all_;
};

}  // namespace typewarp::exchange
