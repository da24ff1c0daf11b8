// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/streams/packed_receives.hpp"

#include <gtest/gtest.h>

namespace typewarp::exchange {
namespace {

constexpr std::int64_t kib = 1 << 10, mib = 1 << 20;

bool packed(std::int64_t bytes, std::int64_t run, std::int64_t apart, std::int64_t word = 8) {
  return packed_receive_policy.saved(bytes, run, apart, word) > packed_receive_policy.cost;
}

// As two H100 were measured (decision 016).
TEST(PackedReceivePolicyTest, StoresPackedWhatIsFasterSo) {
  EXPECT_TRUE(packed(mib, 8, 64));
  EXPECT_TRUE(packed(16 * mib, 8, 64));
  EXPECT_TRUE(packed(mib, 8, 32));
  EXPECT_TRUE(packed(16 * mib, 16, 32));
}

TEST(PackedReceivePolicyTest, StoresTheRestWhereItBelongs) {
  EXPECT_FALSE(packed(256 * kib, 8, 64));
  EXPECT_FALSE(packed(256 * kib, 8, 32));
  EXPECT_FALSE(packed(mib, 16, 32));
  EXPECT_FALSE(packed(16 * mib, 8, 256));
  EXPECT_FALSE(packed(4 * mib, 16, 1056)) << "the faces of a halo of 128^3 doubles";
  EXPECT_FALSE(packed(1024 * mib, 32, 64));
  EXPECT_TRUE(packed(16 * mib, 22, 32, 4));
  EXPECT_FALSE(packed(16 * mib, 22, 32, 2)) << "structs of odd length";
}

}  // namespace
}  // namespace typewarp::exchange
