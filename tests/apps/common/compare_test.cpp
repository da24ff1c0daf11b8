// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "common/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace apps {
namespace {

constexpr Shape box{5, 12};

std::vector<double> state() {
  std::vector<double> numbers(static_cast<std::size_t>(4 * box.points()));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = std::sin(static_cast<double>(i));
  return numbers;
}

TEST(Compare, NamesTheFirstNumberThatDiffers) {
  const std::vector<double> one = state();
  EXPECT_EQ(difference(one, one, box, "level"), "");
  std::vector<double> other = one;
  other.back() = std::nextafter(other.back(), 9);
  EXPECT_EQ(difference(one, other, box, "level"), "level 3 at row 4, column 11");
  other.pop_back();
  EXPECT_EQ(difference(one, other, box, "level"), "the number of cells");
}

TEST(Compare, TellsZerosApart) {
  EXPECT_EQ(difference(std::vector{0.0}, std::vector{-0.0}, {1, 1}, "level"), "level 0 at row 0, column 0");
}

TEST(Compare, FindsWhatIsLost) {
  const std::vector<double> start = state();
  std::vector<double> end = start;
  EXPECT_EQ(imbalance(start, end), 0);
  end.front() += 0.25;
  end.back() -= 0.25;
  EXPECT_LE(imbalance(start, end), largest_imbalance);
  end[7] += 0.5;
  EXPECT_GT(imbalance(start, end), 1e-4);
  end[7] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(imbalance(start, end)));
}

/// Rounding errors stay as large as the field was, and must not look larger when it is almost gone.
TEST(Compare, RelatesALossToTheLargerOfBothStates) {
  const std::vector<double> much{8, -8}, little{0.25, -0.5}, none{0, 0};
  EXPECT_EQ(imbalance(much, little), 0.25 / 16);
  EXPECT_EQ(imbalance(little, much), 0.25 / 16);
  EXPECT_EQ(imbalance(much, none), 0);
  EXPECT_EQ(imbalance(none, none), 0);
  EXPECT_TRUE(std::isnan(imbalance(std::vector{std::nan(""), 0.0}, none)));
}

}  // namespace
}  // namespace apps
