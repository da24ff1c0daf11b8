// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/memory.hpp"
#include "engine/runtime/share.hpp"
#include "schedule/streams/group.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace typewarp::exchange {

/// Memory on a device of each rank of a group, 0 at first, which all these devices address.
class PeerMemory {
 public:
  /// Collective, of `bytes` on each rank's device; -1: it has none. Null in all ranks where one has none, two
  /// have the same, or one does not reach another's, and then `why` tells. Throws what the group throws, and
  /// Error in all ranks where one lacks memory.
  static std::unique_ptr<PeerMemory> of(ExchangeGroup& group, int device, std::int64_t bytes,
                                        std::string* why = nullptr);
  PeerMemory(const PeerMemory&) = delete;
  PeerMemory& operator=(const PeerMemory&) = delete;

  /// In the order of ranks.
  std::span<std::byte* const> of_ranks() const noexcept { return addresses_; }
  /// Never frees it: others may still write there.
  void abandon() noexcept { own_->abandon(); }

 private:
  struct Told;

  PeerMemory() = default;
  static std::string obstacle_to(const std::vector<Told>& all);
  std::string map(int rank, const std::vector<Told>& all, int device, std::int64_t bytes);

  std::unique_ptr<gpu::DeviceAllocation> own_;
  std::vector<gpu::ImportedMemory> mapped_;
  std::vector<std::byte*> addresses_;
};

}  // namespace typewarp::exchange
