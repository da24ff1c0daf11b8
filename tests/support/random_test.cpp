// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace typewarp::test {
namespace {

// The reference values published with splitmix64.
TEST(Random, IsSplitmix64) {
  Random random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317U);
  EXPECT_EQ(random.next(), 3203168211198807973U);
  EXPECT_EQ(random.next(), 9817491932198370423U);
}

TEST(Random, RangesIncludeBothEndsAndNothingBeyond) {
  Random random(1);
  bool low = false;
  bool high = false;
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t value = random.range(-3, 4);
    ASSERT_GE(value, -3);
    ASSERT_LE(value, 4);
    low = low || value == -3;
    high = high || value == 4;
  }
  EXPECT_TRUE(low && high);
  EXPECT_EQ(random.range(9, 9), 9);
  random.range(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max());
}

TEST(Random, ShufflingKeepsTheValues) {
  std::vector<int> values{1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<int> before = values;
  Random random(3);
  random.shuffle(values);
  EXPECT_NE(values, before);
  EXPECT_TRUE(std::is_permutation(values.begin(), values.end(), before.begin()));
}

}  // namespace
}  // namespace typewarp::test
