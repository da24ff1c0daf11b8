// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lammps/validate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace lammps {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
const Axes<double> length{10, 10, 10};

Outcome outcome() { return {{-5, -5.001}, {{1, 2, 3, 4, 5, 6}, {0, 0, 0, 0, 0, 0}}}; }

TEST(Validate, FindsTheLargestDrift) {
  EXPECT_EQ(drift({-4, -4, -5, -4.2}), 0.25);
  EXPECT_TRUE(std::isnan(drift({-4, not_a_number, -4})));
}

TEST(Validate, NoticesTheLastBit) {
  EXPECT_EQ(difference(outcome(), outcome()), "");
  Outcome other = outcome();
  other.state.x[4] = std::nextafter(5, 6);
  EXPECT_EQ(difference(outcome(), other), "positions or velocities");
  other = outcome();
  other.state.v[0] = -0.0;
  EXPECT_EQ(difference(outcome(), other), "positions or velocities");
  other = outcome();
  other.energies[1] = std::nextafter(-5.001, 0);
  EXPECT_EQ(difference(outcome(), other), "energies");
}

TEST(Validate, MeasuresDistancesAroundTheBox) {
  Outcome other = outcome();
  other.state.x[0] = 10.75;
  const Deviation found = deviation(outcome(), other, length);
  EXPECT_DOUBLE_EQ(found.distance, 0.25);
  EXPECT_EQ(found.energy, 0);
  other.energies.pop_back();
  EXPECT_EQ(deviation(outcome(), other, length).energy, INFINITY);
  other.state.x.pop_back();
  EXPECT_EQ(largest_distance(outcome().state, other.state, length), INFINITY);
  other = outcome();
  other.state.x.resize(3);
  EXPECT_EQ(deviation(outcome(), other, length).energy, INFINITY);
}

TEST(Validate, LetsRoundingGrowWithTime) {
  EXPECT_TRUE(within({5e-13, 5e-13}, largest_deviation(0)));
  EXPECT_FALSE(within({5e-13, 5e-12}, largest_deviation(0)));
  EXPECT_FALSE(within({5e-12, 5e-13}, largest_deviation(0)));
  EXPECT_TRUE(within({5e-12, 5e-12}, largest_deviation(100)));
  EXPECT_FALSE(within({not_a_number, 0}, largest_deviation(0)));
}

TEST(Validate, ComparesEnergiesHoweverLongARunIs) {
  const Deviation largest = largest_deviation(10'000);
  EXPECT_TRUE(within({1.9e-3, 4}, largest));
  EXPECT_FALSE(within({2.1e-3, 4}, largest));
  EXPECT_FALSE(within({0, not_a_number}, largest));
  EXPECT_FALSE(within({INFINITY, INFINITY}, largest));
}

TEST(Validate, ComparesPositionsWhileTheyTellAnything) {
  EXPECT_LT(largest_deviation(1'000).distance, skin);
  EXPECT_EQ(largest_deviation(1'100).distance, INFINITY);
}

}  // namespace
}  // namespace lammps
