// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/direct_policy.hpp"

#include "transport/bounds.hpp"

#include <gtest/gtest.h>

namespace typewarp::transport {
namespace {

TEST(DirectPolicy, TakesPiecesWhereShortRunsCrossALink) {
  const DirectPolicy policy;
  const std::int64_t many = policy.one_kernel_bytes + 1;
  EXPECT_TRUE(policy.prefers_pieces(many, policy.one_kernel_run - 1, false));
  EXPECT_FALSE(policy.prefers_pieces(many - 1, policy.one_kernel_run - 1, false));
  EXPECT_FALSE(policy.prefers_pieces(many, policy.one_kernel_run, false));
  EXPECT_FALSE(policy.prefers_pieces(many, 1, true));
}

TEST(DirectPolicy, SuitsItself) {
  EXPECT_GE(direct_policy.pool_bytes, 4 * direct_policy.piece_bytes);
  EXPECT_LE(direct_policy.longest_wire, direct_policy.kept_wire_bytes);
}

std::int64_t run(const Datatype& type, std::int64_t count = 1) { return average_run(commit(type), count); }

TEST(AverageRun, IsThatOfTheLayout) {
  EXPECT_EQ(run(contiguous(100, Named::double_)), 800);
  EXPECT_EQ(run(contiguous(100, Named::double_), 3), 2400);
  EXPECT_EQ(run(resized(contiguous(100, Named::double_), 0, 900), 3), 800);
  EXPECT_EQ(run(vector(50, 3, 8, Named::int_)), 12);
  EXPECT_EQ(run(vector(50, 3, 8, Named::int_), 7), 12);
  EXPECT_EQ(run(hvector(4, 1, 4096, vector(50, 3, 8, Named::int_))), 12);
  EXPECT_EQ(run(indexed({1, 2, 6}, {0, 5, 20}, Named::double_)), 24);
  EXPECT_EQ(run(indexed_block(2, {0, 5, 11, 40}, Named::double_)), 16);
  EXPECT_EQ(run(structure({1, 2}, {0, 16}, {Named::int_, vector(2, 1, 3, Named::short_)})), 2);
}

}  // namespace
}  // namespace typewarp::transport
