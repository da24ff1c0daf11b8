// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tuning/policy.hpp"

#include <gtest/gtest.h>

namespace typewarp::transport {
namespace {

TEST(RingPolicy, CutsIntoSoManyFragmentsWithinItsBounds) {
  constexpr RingPolicy policy;
  for (const bool is_long : {false, true}) {
    const std::int64_t least = is_long ? policy.least_long_fragment : policy.least_fragment;
    const std::int64_t longest = is_long ? policy.longest_long_fragment : policy.longest_fragment;
    EXPECT_EQ(policy.fragment_bytes(1, is_long), least);
    EXPECT_EQ(policy.fragment_bytes(policy.fragments * (least + 7), is_long), least + 7);
    EXPECT_EQ(policy.fragment_bytes(policy.fragments * (longest + 7), is_long), longest);
  }
  constexpr RingPolicy inverted{.least_fragment = 200, .longest_fragment = 100};
  EXPECT_EQ(inverted.fragment_bytes(5000, false), 100);
}

// A ring holds a few fragments, or the ends would take turns.
TEST(RingPolicy, SuitsItself) {
  constexpr RingPolicy policy;
  EXPECT_GE(RingPolicy::capacity, 4 * policy.longest_fragment);
  EXPECT_GE(RingPolicy::long_capacity, 4 * policy.longest_long_fragment);
}

}  // namespace
}  // namespace typewarp::transport
