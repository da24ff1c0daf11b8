// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "dycore/air.hpp"

#include "dycore/work.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace dycore {
namespace {

constexpr std::int64_t cells = 12;

/// Of a polynomial, the means over cells of edge 1: of x^power, around the middle cell.
std::vector<double> means(int power) {
  std::vector<double> q;
  for (std::int64_t i = 0; i < cells; ++i) {
    const double low = static_cast<double>(i - cells / 2), n = power + 1;
    q.push_back((std::pow(low + 1, n) - std::pow(low, n)) / n);
  }
  return q;
}

/// The face before the middle cell is at 0, where x^power is 0, except that x^0 is 1.
TEST(Air, IsCarriedAsPolynomialsOfFourthDegreeAre) {
  for (int power = 0; power <= 4; ++power) {
    const std::vector<double> q = means(power);
    for (const double speed : {0.7, -0.7})
      EXPECT_NEAR(advective_flux(speed, &q[cells / 2], 1), power == 0 ? speed : 0, 1e-13) << power;
  }
}

/// The fifth difference of x^5 is 5!: what flows goes down it, whatever the wind.
TEST(Air, IsDampedByItsFifthDifference) {
  const std::vector<double> q = means(5);
  for (const double speed : {0.7, -0.7})
    EXPECT_NEAR(advective_flux(speed, &q[cells / 2], 1), -std::abs(speed) * 120 / 60, 1e-12);
}

TEST(Air, FlowsAlikeAlongBothAxes) {
  std::vector<double> along_row(81), along_column(81);
  for (std::size_t i = 0; i < 81; ++i) {
    along_row[i] = std::sin(static_cast<double>(i));
    along_column[i % 9 * 9 + i / 9] = along_row[i];
  }
  const std::size_t middle = 40;
  EXPECT_EQ(advective_flux(0.3, &along_row[middle], 1), advective_flux(0.3, &along_column[middle], 9));
  EXPECT_NEAR(diffusive_flux(&along_row[middle], 1, 9), diffusive_flux(&along_column[middle], 9, 9), 1e-14);
}

/// One step of diffusion of a block that is 1 where all around is 0.
TEST(Air, DiffusesWithoutNewExtrema) {
  const apps::Layout layout{20, 20};
  std::vector<double> q(400), change(400), before(400);
  for (std::int64_t row = 7; row < 13; ++row) {
    for (std::int64_t column = 8; column < 12; ++column)
      q[static_cast<std::size_t>(layout.at(0, row, column))] = 1;
  }
  const Diffuse diffuse{layout, 0.02, q.data(), change.data(), before.data()};
  double most = 0;
  for (std::int64_t i = 0; i < 14 * 14; ++i) {
    diffuse(i);
    const auto at = static_cast<std::size_t>(owned_cell(layout, i));
    EXPECT_EQ(before[at], q[at]);
    EXPECT_GE(q[at] + change[at], 0);
    EXPECT_LE(q[at] + change[at], 1);
    most = std::max(most, std::abs(change[at]));
  }
  EXPECT_GT(most, 0.01);
}

}  // namespace
}  // namespace dycore
