// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/link_policy.hpp"

#include <gtest/gtest.h>

namespace typewarp::transport {
namespace {

TEST(LinkPolicy, CutsShorterMessagesIntoShorterPieces) {
  constexpr std::int64_t mebi = std::int64_t{1} << 20;
  constexpr LinkPolicy policy{
      .pool_bytes = 64 * mebi, .piece_bytes = 4 * mebi, .least_piece_bytes = mebi, .pieces = 16};
  EXPECT_EQ(policy.piece_of(1000, 4 * mebi), mebi);
  EXPECT_EQ(policy.piece_of(16 * mebi, 4 * mebi), mebi);
  EXPECT_EQ(policy.piece_of(32 * mebi, 4 * mebi), 2 * mebi);
  EXPECT_EQ(policy.piece_of(32 * mebi + 1, 4 * mebi), 2 * mebi + 1);
  EXPECT_EQ(policy.piece_of(1000 * mebi, 4 * mebi), 4 * mebi);
  EXPECT_EQ(policy.piece_of(16 * mebi, mebi / 2), mebi / 2);  // what the sides can take comes first
}

}  // namespace
}  // namespace typewarp::transport
