// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/collectives/call.hpp"
#include "interpose/core/collectives/agreement.hpp"
#include "interpose/core/reductions/direct_peers.hpp"
#include "interpose/core/reductions/direct_reductions.hpp"
#include "schedule/streams/direct_schedule.hpp"
#include "schedule/streams/peer_memory.hpp"

#include <typewarp/exchange.hpp>
#include <typewarp/plan.hpp>

#include <mpi.h>

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
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

/// What this rank sends and receives at once.
struct DirectStep {
  std::vector<OutgoingPart> sends;
  std::vector<IncomingPart> receives;
};

/// Of a call that moves data. Throws InvalidArgument of what the MPI must refuse, or has no
/// plan, or lies in several memories; MpiError.
DirectStep step_of(const Call& call, const Participants& ranks);

/// A call whose parts GPUs store where they belong, prepared for its arguments at this rank: one of these.
struct PreparedCall {
  DirectKey key;
  std::unique_ptr<exchange::DirectSchedule> schedule;
  std::unique_ptr<exchange::PeerMemory> buffers;  ///< of a move that the memory of reductions makes
};

/// The collective calls of a communicator of one host that move data and are made by GPUs at once. To prepare
/// one takes some hundred microseconds, so that is done when the arguments come for the second time, if they
/// do at all ranks. What is prepared stands in one of `most` places, the same in all ranks, though its
/// arguments differ.
///
/// Each rank gives a bit for each place that has its arguments, and one if they may be prepared. What all
/// give tells all ranks alike what to do. One thread at a time calls, as collective calls of a communicator
/// follow each other.
class DirectCalls {
 public:
  static constexpr std::size_t most = 48;
  static constexpr std::uint64_t may_be_prepared = std::uint64_t{1} << most;

  explicit DirectCalls(DirectPeers& peers) noexcept : peers_(peers) {}

  /// Counts a call. Whether the ranks ask each other in it: the same in all.
  bool asks_next() noexcept { return patience_.asks_next() && failed_ < most_failures; }
  /// A call was made at once in another way.
  void reward() noexcept { patience_.reward(); }
  /// What this rank gives of a call with these arguments.
  std::uint64_t bits_of(const DirectKey& key) noexcept;
  /// What is prepared for the call, by what all ranks give; null: nothing. Collective, and may prepare it:
  /// the buffers of `move`, unless that is null. Throws MpiError.
  PreparedCall* choose(std::uint64_t given_by_all, const Call& call, const DirectKey& key,
                       const DirectNumbers* move);
  /// Behind what `stream` holds. Waits for the end of it at this rank. Throws GpuError, and
  /// TimeLimitExceeded or Error where another rank did not come or has failed.
  void make(exchange::DirectSchedule& schedule, Stream stream, CommAgreement& agreement);

 private:
  /// In a row, of which none could be prepared.
  static constexpr std::uint64_t most_failures = 8;
  struct Slot {
    std::optional<PreparedCall> call;
    std::uint64_t last_use = 0;
  };
  /// The last ones, in turn.
  struct Hashes {
    std::array<std::uint64_t, 64> values{};
    std::size_t next = 0;
    bool has(std::uint64_t hash) const noexcept;
    void add(std::uint64_t hash) noexcept { values[next++ % values.size()] = hash; }
  };

  Slot* prepare(const Call& call, const DirectKey& key, const DirectNumbers* move);
  void forget_freed();
  Slot& oldest() noexcept;

  DirectPeers& peers_;
  Patience patience_;
  std::array<Slot, most> slots_;
  Hashes seen_, refused_;
  std::uint64_t used_ = 0, prepared_ = 0, failed_ = 0;  ///< calls
  std::uint64_t failed_buffers_ = 0;                    ///< in a row, which other ranks could not map
};

}  // namespace typewarp::interpose
