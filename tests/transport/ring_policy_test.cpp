// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/channel/ring/shm_ring.hpp"

#include <gtest/gtest.h>

namespace typewarp::transport {
namespace {

TEST(RingPolicy, CutsIntoSoManyPiecesWithinItsBounds) {
  constexpr RingPolicy policy;
  for (const bool is_long : {false, true}) {
    const std::int64_t least = is_long ? policy.least_long_piece : policy.least_piece;
    const std::int64_t longest = is_long ? policy.longest_long_piece : policy.longest_piece;
    EXPECT_EQ(policy.piece_bytes(1, is_long), least);
    EXPECT_EQ(policy.piece_bytes(policy.pieces * (least + 7), is_long), least + 7);
    EXPECT_EQ(policy.piece_bytes(policy.pieces * (longest + 7), is_long), longest);
  }
  constexpr RingPolicy inverted{.least_piece = 200, .longest_piece = 100};
  EXPECT_EQ(inverted.piece_bytes(5000, false), 100);
}

// A ring holds a few pieces, or the ends would take turns.
TEST(RingPolicy, SuitsItself) {
  constexpr RingPolicy policy;
  EXPECT_GE(RingPolicy::capacity, 4 * policy.longest_piece);
  EXPECT_GE(RingPolicy::long_capacity, 4 * policy.longest_long_piece);
}

}  // namespace
}  // namespace typewarp::transport
