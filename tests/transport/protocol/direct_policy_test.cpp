// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tuning/policy.hpp"

#include "plan/bounds.hpp"

#include <typewarp/session.hpp>

#include <gtest/gtest.h>

namespace typewarp::transport {
namespace {

constexpr std::int64_t large = std::int64_t{1} << 30;

TEST(DirectPolicy, TakesFragmentsWhereShortRunsCrossALink) {
  const DirectPolicy policy;
  for (const std::int64_t run : {1, 8, 31, 32, 63})
    EXPECT_TRUE(policy.prefers_fragments(large, run, false)) << run;
  EXPECT_FALSE(policy.prefers_fragments(large, policy.long_run, false));
  EXPECT_FALSE(policy.prefers_fragments(large, 1, true));
  EXPECT_FALSE(policy.prefers_fragments(policy.fragments_from - 1, 1, false));
}

TEST(DirectPolicy, TakesOneKernelForLongerMessagesTheLongerTheRuns) {
  const DirectPolicy policy;
  const auto longest = [&](std::int64_t run) {
    std::int64_t bytes = 1;
    while (bytes < large && !policy.prefers_fragments(bytes, run, false)) bytes *= 2;
    return bytes;
  };
  EXPECT_LT(longest(4), longest(8));
  EXPECT_LT(longest(8), longest(32));
  EXPECT_LT(longest(32), longest(64));
}

TEST(DirectPolicy, CutsIntoFragmentsAsLongAsTheyAreMany) {
  const DirectPolicy policy;
  const std::int64_t unit = policy.fragment_scale;
  EXPECT_EQ(policy.fragment_length(16 * unit, large), 4 * unit);
  EXPECT_EQ(policy.fragment_length(64 * unit, large), 8 * unit);
  EXPECT_EQ(policy.fragment_length(64 * unit, 5 * unit), 5 * unit);
  EXPECT_GT(policy.fragment_length(1, large), 0);
  EXPECT_EQ(policy.fragment_length(1, 1), 1);
}

TEST(DirectPolicy, SuitsItself) {
  EXPECT_GE(SessionOptions{}.device_pool_bytes, 4 * direct_policy.fragment_bytes);
  EXPECT_LE(remote_plan_policy.longest_wire, remote_plan_policy.kept_wire_bytes);
}

std::int64_t run(const Datatype& type, std::int64_t count = 1) {
  return plan::average_run(commit(type), count);
}

TEST(AverageRun, IsNotLessThanWhatASectorHoldsOfSmallItems) {
  const auto in_sectors = [](const Datatype& type, std::int64_t count) {
    return plan::average_run(commit(type), count, 32);
  };
  const Datatype particle = structure({1, 1}, {0, 20}, {Named::double_, Named::int_});
  EXPECT_EQ(in_sectors(particle, 1), 6);
  EXPECT_EQ(in_sectors(particle, 1000), 16);
  EXPECT_EQ(in_sectors(vector(50, 1, 4, Named::double_), 1), 8);
  EXPECT_EQ(in_sectors(vector(1000, 64, 65, Named::byte), 1), 64);
  // As many bytes in a sector, but moved at other times.
  const Datatype column = resized(vector(1000, 1, 1000, Named::double_), 0, 8);
  EXPECT_EQ(in_sectors(hvector(1000, 1, 8, column), 1), 8);
  EXPECT_EQ(in_sectors(column, 1000), 8);
}

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
