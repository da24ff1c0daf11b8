// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/peer_reduction.hpp"

namespace typewarp::gpu {

/// Memories of the ranks, as this rank's device addresses them, and where it is in them.
struct PeerMemories {
  int rank = 0, ranks = 0;
  std::byte* of[NumbersOfRanks::most_ranks] = {};
  std::int64_t given = 0, results = 0;  ///< where numbers and results come to
  std::int64_t slot = 0;                ///< bytes of each rank there
  std::int64_t other_given = 0;         ///< from there to where each second launch is given numbers
};

/// Memory of this rank's device that carries counts from one launch to the next, also in a graph.
struct PeerCounts {
  PeerReductionMemory::Turn turn;  ///< of the last tile
  std::uint64_t launches;
  std::uint32_t blocks_ended;
};

/// What the host sees of launches, in its own memory.
struct PeerNews {
  std::uint64_t ended;  ///< the last one that is counted
  /// Raised by threads that have waited for long: each for one rank in one block. The host marks what it has
  /// seen.
  Flag waits[PeerReductionMemory::blocks][NumbersOfRanks::most_ranks];

  static constexpr Flag seen = 2;
};

/// The gate that closes the launch, the counts of the device, and where the host is told of it.
struct PeerSignals {
  static constexpr std::uint64_t uncounted = 0;

  const Flag* gate = nullptr;
  PeerCounts* counts = nullptr;
  PeerNews* news = nullptr;
  std::uint64_t number = 0;
};

/// A launch. Numbers are moved as packs of 16 B, the last one of a share perhaps in part.
struct PeerTask {
  NumbersOfRanks numbers;
  bool whole = false, in_one_step = false;
  std::int64_t begin = 0, packs = 0;  ///< of each share (one step: of the numbers), packs from `begin` on
  std::int64_t region = 0;            ///< packs of each share that a block has
  std::int64_t tile = 0;              ///< packs; in one step the region
  std::int64_t shift = 0;  ///< packs by which the first tile of every other block of a ring is shorter
  PeerReductionMemory::Turn turns = 0;  ///< that it takes
  PeerMemories memories;
  PeerSignals signals;
};

/// How numbers of a type are moved and combined.
struct NumberKernel {
  std::int64_t in_pack;
  const void* kernel;
  bool has_gaps;  ///< which stay as they are
};
NumberKernel reduction_kernel(Named type);
/// The kernel that broadcasts bytes.
const void* broadcast_kernel();
/// The kernel that gathers or exchanges bytes.
const void* moves_kernel();

}  // namespace typewarp::gpu
