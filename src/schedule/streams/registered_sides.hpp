// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/peer_reduction.hpp"
#include "schedule/streams/peer_memory.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace typewarp::exchange {

/// Memories that the ranks of a group have registered, each mapped by all.
class RegisteredSides {
 public:
  /// Collective: each rank gives `bytes` on its device. Why not, in all ranks, if one cannot be mapped.
  /// Throws what the group throws.
  std::string add(ExchangeGroup& group, int device, std::byte* begin, std::int64_t bytes);
  /// Of the one that begins there: the same in all ranks, and of no other one. 0: there is none.
  std::int64_t number_of(const void* begin) const noexcept;
  /// In all ranks, when nothing uses it any more.
  void drop(std::int64_t number) noexcept;
  /// Never unmaps them: kernels may use them for ever.
  void abandon() noexcept;

  /// Whether there is any: the same in all ranks.
  bool any() const noexcept { return !all_.empty(); }
  /// Puts how each rank addresses these bytes of this one, if they lie in one of the memories.
  void put(gpu::NumbersOfRanks& numbers, const std::byte* address, std::int64_t bytes) const noexcept;

 private:
  using Addresses = std::array<std::byte*, gpu::NumbersOfRanks::most_ranks>;
  struct One {
    std::int64_t number;
    const std::byte* begin;
    std::int64_t bytes;
    std::unique_ptr<PeerMemory> memory;
    Addresses at_ranks;  ///< where each of them has mapped it
  };

  std::int64_t added_ = 0;
  std::vector<One> all_;
};

}  // namespace typewarp::exchange
