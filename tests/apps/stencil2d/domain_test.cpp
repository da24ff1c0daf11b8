// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "stencil2d/domain.hpp"

#include <gtest/gtest.h>

namespace stencil2d {
namespace {

TEST(Domain, PlacesRanksRowByRow) {
  const Domain middle = make_domain({3, 3}, {10, 20}, 1, 4);
  EXPECT_EQ(middle.north, 1);
  EXPECT_EQ(middle.south, 7);
  EXPECT_EQ(middle.west, 3);
  EXPECT_EQ(middle.east, 5);
  EXPECT_EQ(middle.origin().rows, 10);
  EXPECT_EQ(middle.origin().columns, 20);
  EXPECT_EQ(middle.global().points(), 30 * 60);
}

TEST(Domain, HasNoNeighboursBeyondTheField) {
  const Domain corner = make_domain({2, 3}, {4, 4}, 1, 5);
  EXPECT_EQ(corner.north, 2);
  EXPECT_EQ(corner.south, no_neighbour);
  EXPECT_EQ(corner.west, 4);
  EXPECT_EQ(corner.east, no_neighbour);
}

TEST(Domain, PadsRowsToSixteenElements) {
  EXPECT_EQ(make_domain({1, 1}, {5, 14}, 1, 0).pitch, 16);
  EXPECT_EQ(make_domain({1, 1}, {5, 15}, 1, 0).pitch, 32);
  EXPECT_EQ(make_domain({1, 1}, {5, 14}, 1, 0).stored_elements(), 7 * 16);
}

TEST(Domain, ReachesTowardsNeighboursOnly) {
  const Region region = make_domain({2, 1}, {10, 20}, 3, 0).owned(2);
  EXPECT_EQ(region.row_begin, 3);
  EXPECT_EQ(region.row_end, 15);
  EXPECT_EQ(region.column_begin, 3);
  EXPECT_EQ(region.column_end, 23);
}

}  // namespace
}  // namespace stencil2d
