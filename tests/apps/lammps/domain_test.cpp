// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lammps/domain.hpp"

#include <gtest/gtest.h>

namespace lammps {
namespace {

TEST(Domain, PlacesRanksAlongZFirstAndClosesTheBox) {
  const Domain domain = make_domain({2, 3, 4}, {2, 2, 2}, 4 + 3);
  EXPECT_EQ(domain.position, (Grid{0, 1, 3}));
  EXPECT_EQ(domain.below, (Axes<int>{12 + 7, 3, 6}));
  EXPECT_EQ(domain.above, (Axes<int>{12 + 7, 11, 4}));
  EXPECT_DOUBLE_EQ(domain.length[2], 8 * cell_side());
  EXPECT_DOUBLE_EQ(domain.low[1], 2 * cell_side());
  EXPECT_DOUBLE_EQ(domain.high[1], 4 * cell_side());
}

TEST(Domain, IsItsOwnNeighbourAloneAlongAnAxis) {
  const Domain domain = make_domain({1, 2, 1}, {2, 2, 2}, 1);
  EXPECT_EQ(domain.below, (Axes<int>{1, 0, 1}));
}

TEST(Domain, HasAnotherImageForEachStep) {
  EXPECT_EQ(moved(no_image, 0, 0), no_image);
  EXPECT_EQ(moved(no_image, 0, 1), 9 + 13);
  EXPECT_EQ(moved(moved(no_image, 1, -1), 2, 1), 13 - 3 + 1);
}

}  // namespace
}  // namespace lammps
