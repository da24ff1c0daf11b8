// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/collectives/call.hpp"

#include <typewarp/plan.hpp>

#include <bit>
#include <cstdint>
#include <vector>

namespace typewarp::interpose {

/// Boost's way to combine hashes, in 64 bits (boost.org, container_hash).
constexpr std::uint64_t combined_hash(std::uint64_t hash, std::uint64_t word) noexcept {
  return hash ^ (word + 0x9e3779b97f4a7c15U + std::rotl(hash, 12) + (hash >> 4));
}

/// What the arguments of a call are at this rank, as numbers: two calls with equal numbers move the same
/// bytes of the same memory. Buffers are named by their addresses and the allocations in which these lie,
/// datatypes by the plans that they keep: a datatype made anew, or memory allocated anew, gives other
/// numbers.
class DirectKey {
 public:
  /// Of a call that has joined, and combines nothing. Throws what plan_of() throws.
  explicit DirectKey(const Call& call);

  /// Whether GPUs may be able to store the parts of this rank, and find those of others: all of its data is
  /// in plain memory of GPUs, of datatypes with plans.
  bool is_direct() const noexcept { return is_direct_; }
  /// Whether this rank has data of a GPU in the call.
  bool has_device_data() const noexcept { return has_device_data_; }
  std::uint64_t hash() const noexcept { return hash_; }
  bool operator==(const DirectKey& other) const noexcept {
    return hash_ == other.hash_ && words_ == other.words_;
  }
  /// Whether the memory is still allocated that it names.
  bool is_alive() const noexcept;

 private:
  /// One of its pieces of memory.
  struct Memory {
    const void* address;
    std::uint64_t allocation;
  };

  void put(std::uint64_t word) noexcept;
  void put(const CallSide& side);
  /// `place`: in bytes from the side's buffer.
  void put_memory(const void* buffer, std::int64_t place);

  std::vector<std::uint64_t> words_;
  std::vector<Memory> memories_;
  std::vector<Plan> plans_;  ///< named by addresses, which no other plan gets as long as they are kept
  std::uint64_t hash_ = 0;
  bool is_direct_ = true;
  bool has_device_data_ = false;
};

}  // namespace typewarp::interpose
