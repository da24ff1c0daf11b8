// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/peer_reduction.hpp"
#include "interpose/core/collectives/call.hpp"
#include "interpose/core/collectives/patience.hpp"
#include "interpose/core/reductions/direct_peers.hpp"
#include "schedule/streams/peer_memory.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace typewarp::interpose {

/// What this rank gives to a reduction on GPUs, or to a broadcast.
struct DirectNumbers {
  gpu::NumbersOfRanks numbers;
  int device;  ///< that has them
  std::int64_t bytes;
};
/// Nothing if the MPI must refuse the call, or GPUs cannot combine the numbers: other types and operations,
/// and numbers that are not on one device; or if the bytes of a broadcast have gaps. Throws MpiError,
/// GpuError.
std::optional<DirectNumbers> direct_numbers_of(const Call& call);

/// The reductions and broadcasts of a communicator of one host that GPUs make at once. The memory through
/// which they go is made at the first one, so that all are made alike: the same numbers give the same bits
/// each time.
class DirectReductions {
 public:
  explicit DirectReductions(DirectPeers& peers) noexcept : peers_(peers) {}

  /// Counts a call. Whether the ranks ask each other in it: the same in all. Once one was made so they always
  /// do, as other ways may combine in another order.
  bool asks_next() noexcept { return !is_refused_ && (has_reduced_ || patience_.asks_next()); }
  /// What this rank gives of a call that it can make so. Throws GpuError.
  std::uint64_t bits_of(const DirectNumbers& own);
  /// Decides by the bits that all ranks gave. If only a seat is missing somewhere, none of the communicator's
  /// reductions is ever made so.
  bool choose(std::uint64_t given_by_all) noexcept;

  /// The same of a broadcast, which may be made so or not each time, and needs no seat of reductions.
  bool asks_next_broadcast() noexcept { return !broadcasts_are_refused_ && broadcasts_.asks_next(); }
  /// Not in the first one, since most communicators make few, and the memory is large. Throws GpuError.
  bool can_broadcast(const DirectNumbers& own);

  /// Once they do. Whether the call was made. Collective; waits for the end at this rank. Throws as
  /// DirectCalls::make().
  bool make(const DirectNumbers& own, Stream stream, CommAgreement& agreement);

 private:
  static constexpr std::uint64_t fits = 1, has_seat = 2;

  bool is_able(const DirectNumbers& own);
  bool may_wait_on(int device);
  bool prepare(const DirectNumbers& own);
  void load(const gpu::NumbersOfRanks& numbers);

  DirectPeers& peers_;
  Patience patience_;
  bool is_refused_ = false, has_reduced_ = false;
  Patience broadcasts_;
  bool broadcasts_are_refused_ = false, has_seen_broadcast_ = false;
  std::optional<HeldSeat> seat_;  ///< of a program with threads
  std::unique_ptr<exchange::PeerMemory> memory_;
  std::unique_ptr<gpu::PeerReduction> reduction_;
  struct Loaded {
    Named type;
    bool combines;
    friend bool operator==(const Loaded&, const Loaded&) = default;
  };
  std::vector<Loaded> loaded_;
};

}  // namespace typewarp::interpose
