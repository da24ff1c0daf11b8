// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/peer_reduction.hpp"
#include "schedule/streams/peer_memory.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace typewarp::exchange {

/// Memory that the ranks of a group have registered, and that all have mapped.
class RegisteredBuffers {
 public:
  /// Collective: each rank gives as many bytes on its device. Returns why one cannot be mapped, the same on
  /// all ranks; nothing: it is registered. Throws what the group throws.
  std::string add(ExchangeGroup& group, int device, std::byte* begin, std::int64_t bytes);
  /// The number of the registration that begins there: the same on all ranks, and never used again.
  std::optional<std::int64_t> number_of(const void* begin) const noexcept;
  /// On all ranks, when nothing uses it any more.
  void drop(std::int64_t number) noexcept;
  /// Never unmaps anything, as kernels may still use it.
  void abandon() noexcept;

  /// Of a move that receives so many bytes there: how each rank addresses them, or null if they do not lie
  /// within one registration. Kernels find out whether all are mapped, unless nothing is registered.
  void tell(gpu::NumbersOfRanks& numbers, const std::byte* address, std::int64_t bytes) const noexcept;

 private:
  using Addresses = std::array<std::byte*, gpu::NumbersOfRanks::most_ranks>;
  struct Registration {
    std::int64_t number;
    const std::byte* begin;
    std::int64_t bytes;
    std::unique_ptr<PeerMemory> memory;
    Addresses at_ranks;  ///< where each of them has mapped it
  };

  std::int64_t added_ = 0;
  std::vector<Registration> all_;
};

}  // namespace typewarp::exchange
