// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bound.hpp"

#include <gtest/gtest.h>

namespace typewarp::contention {
namespace {

constexpr Limits limits{.memory = 1000, .to_host = 50, .to_device = 40};

TEST(Bound, IsThatOfTheSlowerWhereNothingIsShared) {
  EXPECT_DOUBLE_EQ(bound_us(200, 30, {1000, 100, 0}, limits), 200);
  EXPECT_DOUBLE_EQ(bound_us(30, 200, {1000, 100, 0}, limits), 200);
}

TEST(Bound, IsWhatMemoryOrALinkNeedsForBoth) {
  EXPECT_DOUBLE_EQ(bound_us(200, 30, {230e3, 0, 0}, limits), 230);
  EXPECT_DOUBLE_EQ(bound_us(200, 30, {0, 12e3, 0}, limits), 240);
  EXPECT_DOUBLE_EQ(bound_us(200, 30, {0, 0, 12e3}, limits), 300);
}

TEST(Bound, DoesNotAddWhatPassesDifferentWays) {
  EXPECT_DOUBLE_EQ(bound_us(100, 100, {100e3, 5e3, 4e3}, limits), 100);
}

}  // namespace
}  // namespace typewarp::contention
