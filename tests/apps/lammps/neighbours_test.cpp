// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lammps/neighbours.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace lammps {
namespace {

const Grid cells{3, 3, 3};

/// Atoms all over a rank's part, and ghosts around it.
struct Sample {
  Domain domain = make_domain({2, 2, 2}, cells, 3);
  std::vector<double> x;
  std::vector<std::int64_t> tags;
  std::int64_t owned = 100;

  Sample() {
    std::mt19937_64 random(4);
    for (std::int64_t i = 0; i < 400; ++i) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double margin = i < owned ? 0 : cutoff + skin;
        std::uniform_real_distribution<double> place(domain.low[axis] - margin, domain.high[axis] + margin);
        x.push_back(place(random));
      }
      tags.push_back((i * 7919) % 1000);
    }
  }

  bool near(std::size_t i, std::size_t j) const {
    double square = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      square += (x[3 * i + axis] - x[3 * j + axis]) * (x[3 * i + axis] - x[3 * j + axis]);
    }
    return square < (cutoff + skin) * (cutoff + skin);
  }
};

std::set<std::pair<std::size_t, std::size_t>> pairs(const Neighbours& found) {
  std::set<std::pair<std::size_t, std::size_t>> result;
  for (std::size_t i = 0; i + 1 < found.first.size(); ++i) {
    for (std::int64_t k = found.first[i]; k < found.first[i + 1]; ++k) {
      result.insert({i, static_cast<std::size_t>(found.partner[static_cast<std::size_t>(k)])});
    }
  }
  return result;
}

TEST(Neighbours, AreAllPairsOfOwnedAtomsThatAreNear) {
  const Sample sample;
  const auto found = pairs(find_neighbours(sample.x, sample.tags, sample.owned, sample.domain));
  for (std::size_t i = 0; i < 100; ++i) {
    for (std::size_t j = 0; j < 100; ++j) {
      EXPECT_EQ(found.contains({i, j}), i != j && sample.near(i, j)) << i << ", " << j;
    }
  }
}

/// Of the two ranks that see a pair of an atom and a ghost, one computes it.
TEST(Neighbours, HaveEachPairWithAGhostOnOneSide) {
  const Sample sample;
  const auto here = pairs(find_neighbours(sample.x, sample.tags, sample.owned, sample.domain));
  // Seen from the other side the ghosts are owned, and come first.
  Sample other = sample;
  std::ranges::rotate(other.x, other.x.begin() + 300);
  std::ranges::rotate(other.tags, other.tags.begin() + 100);
  other.owned = 300;
  const auto there = pairs(find_neighbours(other.x, other.tags, other.owned, other.domain));
  int with_ghost = 0;
  for (std::size_t i = 0; i < 100; ++i) {
    for (std::size_t j = 100; j < 400; ++j) {
      const bool mine = here.contains({i, j});
      EXPECT_EQ(mine, here.contains({j, i}));
      if (!sample.near(i, j)) {
        EXPECT_FALSE(mine);
        continue;
      }
      EXPECT_NE(mine, there.contains({300 + i, j - 100})) << i << ", " << j;
      ++with_ghost;
    }
  }
  EXPECT_GT(with_ghost, 100);
}

}  // namespace
}  // namespace lammps
