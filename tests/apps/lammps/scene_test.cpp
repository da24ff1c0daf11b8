// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lammps/scene.hpp"

#include <gtest/gtest.h>

namespace lammps {
namespace {

TEST(Scene, ShowsTheVelocitiesOfTheLowestLayer) {
  const State state{{2, 5, 0.1, 7, 5, 3}, {-1.5, 0, 0, 4, 0, 0}};
  const std::vector<double> field = scene(state, {10, 20, 10}, {20, 40});
  EXPECT_EQ(field[4 * 40 + 10], -1.5);
  EXPECT_EQ(field[14 * 40 + 10], 0);
  EXPECT_EQ(field[8 * 40 + 10], 0);
}

TEST(Scene, ContinuesAtTheOtherEndOfTheBox) {
  const State state{{0, 0, 0}, {1, 0, 0}};
  const std::vector<double> field = scene(state, {10, 10, 10}, {20, 20});
  for (const std::size_t at : {0u, 19u, 19u * 20, 19u * 20 + 19}) {
    EXPECT_EQ(field[at], 1) << at;
  }
  EXPECT_EQ(field[2 * 20 + 2], 0);
}

}  // namespace
}  // namespace lammps
