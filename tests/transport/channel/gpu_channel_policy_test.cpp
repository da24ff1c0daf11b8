// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tuning/policy.hpp"

#include <gtest/gtest.h>

namespace typewarp::transport {
namespace {

TEST(GpuChannelPolicy, CutsIntoFragmentsAsLongAsTheyAreMany) {
  constexpr std::int64_t mebi = std::int64_t{1} << 20;
  constexpr GpuChannelPolicy policy{.fragment_scale = 2 * mebi};
  EXPECT_EQ(policy.fragment_of(1000, 16 * mebi), 2 * mebi);
  EXPECT_EQ(policy.fragment_of(8 * mebi, 16 * mebi), 4 * mebi);
  EXPECT_EQ(policy.fragment_of(32 * mebi, 16 * mebi), 8 * mebi);
  EXPECT_EQ(policy.fragment_of(1000 * mebi, 16 * mebi), 16 * mebi);
  EXPECT_EQ(policy.fragment_of(32 * mebi, mebi / 2), mebi / 2);  // what the sides can take comes first
}

}  // namespace
}  // namespace typewarp::transport
