// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/collectives/call_blocks.hpp"

#include <typewarp/error.hpp>

namespace typewarp::interpose {
namespace {

/// Only the root may say in place.
void expect_root(const Ranks& ranks, bool in_place) {
  if (in_place && !ranks.is_root)
    throw InvalidArgument("typewarp", "buffer", "MPI_IN_PLACE", "is the root's");
}

}  // namespace

CallBlocks broadcast(const Ranks& ranks, int root, const Side& side, std::int64_t count) {
  CallBlocks blocks{side, side, {}, {}};
  if (!ranks.is_root) blocks.receives.push_back({root, {count, 0}});
  for (int rank = 0; ranks.is_root && rank < ranks.all; ++rank) {
    if (rank != root) blocks.sends.push_back({rank, {count, 0}});
  }
  return blocks;
}

CallBlocks gathered(const Ranks& ranks, int root, const Side& from, std::int64_t count, const Side& to,
                    Places places) {
  const bool in_place = from.buffer == MPI_IN_PLACE;
  expect_root(ranks, in_place);
  CallBlocks blocks{from, to, {}, {}};
  if (!in_place) blocks.sends.push_back({root, {count, 0}});
  if (!ranks.is_root) return blocks;
  for (int rank = 0; rank < ranks.all; ++rank) {
    if (rank != ranks.own || !in_place) blocks.receives.push_back({rank, places(rank)});
  }
  return blocks;
}

CallBlocks scattered(const Ranks& ranks, int root, const Side& from, Places places, const Side& to,
                     std::int64_t count) {
  const bool in_place = to.buffer == MPI_IN_PLACE;
  expect_root(ranks, in_place);
  CallBlocks blocks{from, to, {}, {}};
  if (!in_place) blocks.receives.push_back({root, {count, 0}});
  if (!ranks.is_root) return blocks;
  for (int rank = 0; rank < ranks.all; ++rank) {
    if (rank != ranks.own || !in_place) blocks.sends.push_back({rank, places(rank)});
  }
  return blocks;
}

CallBlocks gathered_by_all(const Ranks& ranks, const Side& from, std::int64_t count, const Side& to,
                           Places places) {
  const bool in_place = from.buffer == MPI_IN_PLACE;
  CallBlocks blocks{in_place ? to : from, to, {}, {}};
  const Place own = in_place ? places(ranks.own) : Place{count, 0};
  for (int rank = 0; rank < ranks.all; ++rank) {
    if (rank == ranks.own && in_place) continue;
    blocks.sends.push_back({rank, own});
    blocks.receives.push_back({rank, places(rank)});
  }
  return blocks;
}

CallBlocks exchanged_by_all(const Ranks& ranks, const Side& from, std::int64_t sent, const Side& to,
                            std::int64_t received) {
  CallBlocks blocks{from, to, {}, {}};
  blocks.replaces = from.buffer == MPI_IN_PLACE;
  for (int rank = 0; rank < ranks.all; ++rank) {
    if (blocks.replaces && rank == ranks.own) continue;
    if (!blocks.replaces) blocks.sends.push_back({rank, even_places(sent)(rank)});
    blocks.receives.push_back({rank, even_places(received)(rank)});
  }
  return blocks;
}

}  // namespace typewarp::interpose
