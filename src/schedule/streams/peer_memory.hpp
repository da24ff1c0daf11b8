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

/// Memory on a device of each rank of a group, which all these devices address.
class PeerMemory {
 public:
  /// Collective, of `bytes` on each rank's device, 0 at first; -1: it has none. Null in all ranks where one
  /// has none, two have the same, or one does not reach another's, and then `why` tells. Throws what the
  /// group throws, and Error in all ranks where one lacks memory.
  static std::unique_ptr<PeerMemory> of(ExchangeGroup& group, int device, std::int64_t bytes,
                                        std::string* why = nullptr);
  /// The same of `bytes` that each rank has at `given`, as long as any rank uses them.
  static std::unique_ptr<PeerMemory> of_given(ExchangeGroup& group, int device, std::byte* given,
                                              std::int64_t bytes, std::string* why = nullptr);

  // The same in steps, between which ranks tell each other what they offer in a way of their own.
  /// Bytes that ranks of one program can give each other.
  struct Offer {
    std::int64_t host;
    std::int64_t is_there;  ///< 0: a rank has nothing
    gpu::SharedMemory memory;
  };
  /// That of this rank. Throws GpuError.
  PeerMemory(int device, std::int64_t bytes);
  PeerMemory(int device, std::byte* given, std::int64_t bytes) noexcept;
  Offer offer(int host) const;
  /// Maps what others offer, `all` in the order of ranks. Why not, if it cannot be. Throws GpuError, and
  /// Error for an offer that cannot be right.
  std::string map(int rank, std::span<const Offer> all);

  PeerMemory& operator=(PeerMemory&&) = delete;

  /// In the order of ranks.
  std::span<std::byte* const> of_ranks() const noexcept { return addresses_; }
  /// Never frees it: others may still write there.
  void abandon() noexcept {
    if (own_) own_->abandon();
  }

 private:
  template <typename Make>
  static std::unique_ptr<PeerMemory> made(ExchangeGroup& group, std::string* why, Make make);

  int device_;
  std::int64_t bytes_;
  std::unique_ptr<gpu::DeviceAllocation> own_;  ///< null: it was given
  std::byte* data_;
  std::vector<gpu::ImportedMemory> mapped_;
  std::vector<std::byte*> addresses_;
};

}  // namespace typewarp::exchange
