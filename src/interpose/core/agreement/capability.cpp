// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/agreement/capability.hpp"

#include <algorithm>

namespace typewarp::interpose {

using DeviceUse = LocalCapability::DeviceUse;
using MoveAbility = LocalCapability::MoveAbility;

// Of what all ranks must have, the least counts: its negative is the greatest.
Board::Row row_of(const LocalCapability& own) noexcept {
  return {static_cast<std::int64_t>(own.use),
          -static_cast<std::int64_t>(own.moves),
          own.longest,
          own.common,
          -own.common,
          -own.nccl,
          static_cast<std::int64_t>(own.direct)};
}

Board::Row most_of(const Board::Row& one, const Board::Row& other) noexcept {
  Board::Row most;
  std::ranges::transform(one, other, most.begin(), [](auto a, auto b) { return std::max(a, b); });
  most.back() = one.back() & other.back();
  return most;
}

namespace {

Path path_of(MoveAbility moves) noexcept {
  switch (moves) {
    case MoveAbility::not_told:
      return Path::ask_again;
    case MoveAbility::none:
      return Path::forward;
    case MoveAbility::whole:
      return Path::move;
    case MoveAbility::out_of_reach:
    case MoveAbility::unable:
      break;
  }
  return Path::refuse;
}

}  // namespace

Agreed decide(const Board::Row& most, std::int64_t least) noexcept {
  const auto [use, no_moves, longest, common, negative_common, negative_nccl, direct] = most;
  const auto moves = static_cast<MoveAbility>(-no_moves);
  // Peers wrote this. Where the bytes of a call are known alike no block is longer.
  const bool is_possible = use >= 0 && use <= static_cast<std::int64_t>(DeviceUse::in_call) &&
                           moves >= MoveAbility::not_told && moves <= MoveAbility::whole && longest >= 0 &&
                           (common == 0 || longest <= common);
  const bool are_alike = is_possible && common == -negative_common;
  Agreed agreed;
  agreed.some_use_device = use >= static_cast<std::int64_t>(DeviceUse::elsewhere);
  if (!is_possible) return agreed;
  if (use >= static_cast<std::int64_t>(DeviceUse::in_call))
    agreed.direct = static_cast<std::uint64_t>(direct);
  agreed.alike = are_alike;
  agreed.nccl = are_alike ? -negative_nccl : std::min(-negative_nccl, std::int64_t{0});
  if (moves == MoveAbility::not_told) agreed.path = Path::ask_again;
  const bool pays = use >= static_cast<std::int64_t>(DeviceUse::in_call) && longest >= least;
  if (pays && are_alike) agreed.path = path_of(moves);
  return agreed;
}

}  // namespace typewarp::interpose
