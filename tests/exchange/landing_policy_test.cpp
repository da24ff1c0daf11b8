// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/landing_policy.hpp"

#include <gtest/gtest.h>

namespace typewarp::exchange {
namespace {

constexpr std::int64_t kib = 1 << 10, mib = 1 << 20;

bool lands(std::int64_t bytes, std::int64_t run, std::int64_t apart) {
  return landing_policy.saved(bytes, run, apart) > landing_policy.cost;
}

// As two H100 were measured (decision 016).
TEST(LandingPolicyTest, LandsWhatIsFasterSo) {
  EXPECT_TRUE(lands(mib, 8, 64));
  EXPECT_TRUE(lands(16 * mib, 8, 64));
  EXPECT_TRUE(lands(mib, 8, 32));
  EXPECT_TRUE(lands(16 * mib, 16, 32));
}

TEST(LandingPolicyTest, StoresTheRestWhereItBelongs) {
  EXPECT_FALSE(lands(256 * kib, 8, 64));
  EXPECT_FALSE(lands(256 * kib, 8, 32));
  EXPECT_FALSE(lands(mib, 16, 32));
  EXPECT_FALSE(lands(16 * mib, 8, 256));
  EXPECT_FALSE(lands(4 * mib, 16, 1056)) << "the faces of a halo of 128^3 doubles";
  EXPECT_FALSE(lands(1024 * mib, 32, 64));
}

}  // namespace
}  // namespace typewarp::exchange
