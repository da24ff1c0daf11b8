// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "stencil2d/validate.hpp"

#include "stencil2d/initial.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace stencil2d {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

TEST(Compare, FindsNoDifferenceInEqualFields) {
  const Difference difference = compare<double>({1, -2, 0}, {1, -2, 0}, {1, 3});
  EXPECT_TRUE(difference.none());
  EXPECT_EQ(difference.largest, 0);
}

TEST(Compare, ValidatesNothingWhereTheExpectedFieldIsNotFinite) {
  const Difference difference =
      compare<double>({1, not_a_number, INFINITY, 4}, {1, not_a_number, INFINITY, -INFINITY}, {2, 2});
  EXPECT_EQ(difference.points, 0);
  EXPECT_EQ(difference.not_finite, 3);
  EXPECT_FALSE(difference.none());
}

TEST(Compare, NoticesTheSignOfZero) {
  const Difference difference = compare<double>({-0.0}, {0.0}, {1, 1});
  EXPECT_EQ(difference.points, 1);
  EXPECT_EQ(difference.largest, 0);
  EXPECT_FALSE(difference.none());
}

TEST(Compare, FindsTheFirstAndTheLargestDifference) {
  const Difference difference = compare<double>({1, 2, 3, 4.5, 5, 8}, {1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_EQ(difference.points, 2);
  EXPECT_EQ(difference.largest, 2);
  EXPECT_EQ(difference.first.rows, 1);
  EXPECT_EQ(difference.first.columns, 0);
}

TEST(Compare, NoticesTheLastBit) {
  const double next = std::nextafter(1.0, 2.0);
  EXPECT_EQ(compare<double>({next}, {1}, {1, 1}).points, 1);
}

TEST(Compare, NoticesWhatIsNotANumberOnOneSideOnly) {
  const Difference difference = compare<double>({not_a_number}, {1}, {1, 1});
  EXPECT_EQ(difference.points, 1);
  EXPECT_EQ(difference.largest, INFINITY);
}

TEST(SerialRun, TakesTheWeightsAndAZeroBorder) {
  apps::Progress silent("", 1, apps::ProgressStyle::none);
  const apps::Shape shape{2, 2};
  const std::vector<double> before = serial_run<double>(shape, 0, silent);
  const std::vector<double> after = serial_run<double>(shape, 1, silent);
  ASSERT_EQ(before.size(), 4u);
  EXPECT_EQ(before[1], initial_value(0, 1, shape));
  EXPECT_DOUBLE_EQ(after[0], 0.25 * before[0] + 0.15 * (before[1] + before[2]) + 0.05 * before[3]);
  EXPECT_DOUBLE_EQ(after[3], 0.25 * before[3] + 0.15 * (before[1] + before[2]) + 0.05 * before[0]);
}

}  // namespace
}  // namespace stencil2d
