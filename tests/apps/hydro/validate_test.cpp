// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hydro/validate.hpp"

#include "common/compare.hpp"
#include "common/halo/domain.hpp"
#include "hydro/blast.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace hydro {
namespace {

/// The start, with momenta away from the middle.
std::vector<double> state_of(apps::Shape box) {
  const apps::Layout layout{box.rows, box.columns};
  std::vector<double> state(static_cast<std::size_t>(variables * box.points()));
  for (std::int64_t row = 0; row < box.rows; ++row) {
    for (std::int64_t column = 0; column < box.columns; ++column) {
      Cell u = to_conserved(blast(box, row, column));
      u.of[momentum] = static_cast<double>(2 * row + 1 - box.rows);
      u.of[momentum + 1] = static_cast<double>(2 * column + 1 - box.columns);
      for (int k = 0; k < variables; ++k)
        state[static_cast<std::size_t>(layout.at(k, row, column))] = u.of[k];
    }
  }
  return state;
}

double& at(std::vector<double>& state, apps::Shape box, int variable, std::int64_t row, std::int64_t column) {
  return state[static_cast<std::size_t>(apps::Layout{box.rows, box.columns}.at(variable, row, column))];
}

TEST(Validate, TheStartIsSymmetric) {
  for (const apps::Shape box : {apps::Shape{8, 8}, apps::Shape{7, 7}, apps::Shape{5, 12}}) {
    EXPECT_TRUE(symmetric(state_of(box), box)) << box.rows << " x " << box.columns;
  }
}

TEST(Validate, NoticesOneCellThatIsNotSymmetric) {
  const apps::Shape box{8, 8};
  for (int variable = 0; variable < variables; ++variable) {
    std::vector<double> state = state_of(box);
    double& number = at(state, box, variable, 2, 1);
    number = std::nextafter(number, 100);
    EXPECT_FALSE(symmetric(state, box)) << variable;
  }
}

/// Mirrors alone would not tell rows from columns.
TEST(Validate, NoticesWhatIsOnlyMirrored) {
  const apps::Shape box{8, 8};
  std::vector<double> state = state_of(box);
  for (const std::int64_t row : {2, 5}) {
    for (const std::int64_t column : {1, 6}) at(state, box, density, row, column) = 7;
  }
  EXPECT_FALSE(symmetric(state, box));
}

TEST(Validate, FindsWhatIsLost) {
  const apps::Shape box{8, 8};
  const std::vector<double> start = state_of(box);
  std::vector<double> end = start;
  EXPECT_EQ(imbalance(start, end), 0);
  at(end, box, density, 0, 0) += 0.25;
  at(end, box, density, 7, 7) -= 0.25;
  EXPECT_LE(imbalance(start, end), apps::largest_imbalance);
  at(end, box, momentum + 1, 3, 3) += 0.5;
  EXPECT_GT(imbalance(start, end), 1e-4);
  at(end, box, energy, 3, 3) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(imbalance(start, end)));
}

}  // namespace
}  // namespace hydro
