// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "dycore/validate.hpp"

#include "common/compare.hpp"
#include "dycore/air.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace dycore {
namespace {

const Box box{{3, 4}, 5};

/// Counts.
std::vector<double> state() {
  std::vector<double> numbers(
      static_cast<std::size_t>(planes_before(fields, box.levels) * box.shape.points()));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i);
  return numbers;
}

/// A number of the third row and second column.
double& at(std::vector<double>& state, int field, std::int64_t plane) {
  const std::int64_t planes = planes_before(field, box.levels) + plane;
  return state[static_cast<std::size_t>(planes * box.shape.points() + 2 * box.shape.columns + 1)];
}

TEST(Validate, NamesTheFirstNumberThatDiffers) {
  const std::vector<double> one = state();
  EXPECT_EQ(difference(one, one, box), "");
  std::vector<double> other = one;
  double& low = at(other, temperature, 0);
  low = std::nextafter(low, 0);
  EXPECT_EQ(difference(one, other, box), "temperature of level 0 at row 2, column 1");
  double& top = at(other, wind_z, box.levels);
  top = std::nextafter(top, 0);
  EXPECT_EQ(difference(one, other, box), "w of level 5 at row 2, column 1");
}

TEST(Validate, FindsWhatIsLost) {
  const std::vector<double> start = state();
  for (const int field : {wind_x, wind_y, pressure, temperature}) {
    std::vector<double> end = start;
    at(end, field, 1) += 0.5;
    at(end, field, 4) -= 0.5;
    EXPECT_LE(imbalance(start, end, box), apps::largest_imbalance) << field;
    at(end, field, 2) += 0.5;
    EXPECT_GT(imbalance(start, end, box), 1e-6) << field;
    at(end, field, 2) = std::nan("");
    EXPECT_TRUE(std::isnan(imbalance(start, end, box))) << field;
  }
}

TEST(Validate, LetsBuoyancyDriveTheVerticalWind) {
  const std::vector<double> start = state();
  std::vector<double> end = start;
  at(end, wind_z, 3) += 7;
  EXPECT_EQ(imbalance(start, end, box), 0);
}

TEST(Validate, FindsAPlane) {
  const std::vector<double> plane = plane_of(state(), pressure, 1, box);
  ASSERT_EQ(plane.size(), 12u);
  EXPECT_EQ(plane.front(), (5 + 5 + 6 + 1) * 12);
}

}  // namespace
}  // namespace dycore
