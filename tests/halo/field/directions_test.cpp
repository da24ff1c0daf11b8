// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/halo_descriptor.hpp>

#include <gtest/gtest.h>

#include <set>

namespace typewarp::halo {
namespace {

TEST(HaloDirections, AllAreDifferentAndNoneIsHere) {
  std::size_t power = 1;
  for (std::size_t n = 1; n <= max_dimensions; ++n) {
    power *= 3;
    const std::vector<Direction> all = all_directions(n);
    EXPECT_EQ(all.size(), power - 1);
    const std::set<Direction> different(all.begin(), all.end());
    EXPECT_EQ(different.size(), all.size());
    EXPECT_FALSE(different.contains(Direction(n, 0)));
    for (const Direction& direction : all) {
      EXPECT_EQ(direction.size(), n);
      EXPECT_TRUE(different.contains(opposite(direction)));
    }
  }
}

TEST(HaloDirections, ComeWithTheLastDimensionFastest) {
  EXPECT_EQ(all_directions(1), (std::vector<Direction>{{-1}, {1}}));
  EXPECT_EQ(all_directions(2),
            (std::vector<Direction>{{-1, -1}, {-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 0}, {1, 1}}));
  EXPECT_EQ(faces(2), (std::vector<Direction>{{-1, 0}, {1, 0}, {0, -1}, {0, 1}}));
}

TEST(HaloDirections, HaveAnOpposite) { EXPECT_EQ(opposite({-1, 0, 1}), (Direction{1, 0, -1})); }

TEST(HaloDirections, RefuseDimensionsThatNoGridHas) {
  EXPECT_THROW(all_directions(0), InvalidArgument);
  EXPECT_THROW(faces(max_dimensions + 1), InvalidArgument);
}

}  // namespace
}  // namespace typewarp::halo
