// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/agreement/board.hpp"

#include <cstdint>

namespace typewarp::interpose {

/// What one rank has for a collective call, and what it can do in it. It has acquired all that it needs for
/// that. Plain data: ranks tell each other, and all decide alike.
struct LocalCapability {
  /// Of device memory that the MPI does not take.
  enum class DeviceUse : std::int64_t { never, elsewhere, in_call };
  /// What the library can do with the blocks of the rank. `not_told`: the rank has not found out, since NCCL
  /// can make the call as far as it knows. `out_of_reach`: nobody can read its device memory, not
  /// even the MPI. `unable`: the rank lacks memory for what would change the result. The least of all ranks
  /// counts.
  enum class MoveAbility : std::int64_t { not_told = -1, out_of_reach, none, unable, whole };

  DeviceUse use = DeviceUse::never;
  MoveAbility moves = MoveAbility::none;
  std::int64_t longest = 0;  ///< packed bytes of the longest block that the rank knows
  std::int64_t common = 0;   ///< bytes that all ranks must find alike
  std::int64_t nccl = 0;     ///< its nccl::Readiness
  std::uint64_t direct = 0;  ///< a bit for each way to make the call at once that it has prepared
};

/// How all ranks make a call: as the MPI does, on copies; not at all, since a rank is unable to; by messages
/// of the library; or by NCCL. `ask_again`: some rank has not told what it can do.
enum class Path : std::uint8_t { forward, refuse, move, nccl, ask_again };

/// What all ranks know then.
struct Agreed {
  Path path = Path::forward;
  bool some_use_device = false;
  std::int64_t nccl = 0;     ///< the least of all ranks; at most 0 unless all have found the same `common`
  std::uint64_t direct = 0;  ///< the bits that all ranks have, if some rank has device memory in the call
  bool alike = false;        ///< whether all have found the same `common`
  bool spans_hosts = false;
};

/// As numbers, of which most_of() tells what counts.
Board::Row row_of(const LocalCapability& own) noexcept;
/// What counts of two rows: the greater of each number, but for the last, of which the common bits do.
Board::Row most_of(const Board::Row& one, const Board::Row& other) noexcept;
/// `most`: most_of() all ranks. `least`: packed bytes of a block from which on moving it
/// pays. What no rank can have told of itself is a call of which nothing is known: it is forwarded.
Agreed decide(const Board::Row& most, std::int64_t least) noexcept;

}  // namespace typewarp::interpose
