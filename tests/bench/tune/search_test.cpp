// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "search.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace typewarp::tune {
namespace {

TEST(Search, TakesTheCheapest) {
  const std::vector<std::int64_t> candidates = powers(4, 40);
  EXPECT_EQ(candidates, (std::vector<std::int64_t>{4, 8, 16, 32}));
  EXPECT_EQ(cheapest(candidates, [](std::int64_t one) { return std::abs(static_cast<double>(one) - 17); }),
            16);
  EXPECT_EQ(cheapest(candidates, [](std::int64_t) { return 1.0; }), 4);
}

TEST(Search, StopsAtTheFirstGap) {
  const std::vector<std::int64_t> sizes = powers(1, 64);
  EXPECT_EQ(last_in_a_row(sizes, [](std::int64_t size) { return size != 16; }, 0), 8);
  EXPECT_EQ(last_in_a_row(sizes, [](std::int64_t size) { return size != 1; }, 0), 0);
  EXPECT_EQ(last_in_a_row(sizes, [](std::int64_t) { return true; }, 0), 64);
}

Timed timed(double fragments, double bytes, const PieceModel& by) {
  return {fragments, bytes, by.cost * fragments + bytes / by.rate};
}

TEST(Search, FindsWhatFragmentsCost) {
  const PieceModel truth{8.5, 350e3};
  const std::vector<Timed> measured{timed(4, 16e6, truth), timed(8, 64e6, truth), timed(16, 256e6, truth)};
  const PieceModel found = fit(measured);
  EXPECT_NEAR(found.cost, truth.cost, 1e-6 * truth.cost);
  EXPECT_NEAR(found.rate, truth.rate, 1e-6 * truth.rate);
}

TEST(Search, FragmentsNeverCostLessThanNothing) {
  const std::vector<Timed> measured{{4, 16e6, 60}, {8, 64e6, 300}, {16, 256e6, 1300}};
  const PieceModel found = fit(measured);
  EXPECT_EQ(found.cost, 0);
  EXPECT_NEAR(found.rate, 230e3, 1e3);
}

TEST(Search, FragmentsMayBeAllThatCosts) {
  const std::vector<Timed> measured{{4, 16e6, 40}, {8, 64e6, 80}, {16, 256e6, 150}};
  const PieceModel found = fit(measured);
  EXPECT_NEAR(found.cost, 9.8, 0.3);
  EXPECT_TRUE(std::isinf(found.rate));
}

}  // namespace
}  // namespace typewarp::tune
