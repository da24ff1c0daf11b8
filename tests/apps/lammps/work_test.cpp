// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lammps/work.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace lammps {
namespace {

/// Two atoms, the second of which is an image across the end of a box of length 10 along y.
struct Pair {
  std::vector<double> x{1, 0.5, 2, 1.3, 9.4, 2.2};
  std::vector<Image> image{no_image, moved(no_image, 1, -1)};
  std::vector<std::int64_t> first{0, 1, 2};
  std::vector<std::int32_t> partner{1, 0};
  std::vector<double> f = std::vector<double>(6);
  std::vector<double> energy = std::vector<double>(2);

  void compute() {
    const Force force{x.data(),     image.data(), first.data(), partner.data(),
                      {10, 10, 10}, f.data(),     energy.data()};
    force(0);
    force(1);
  }
  static double potential(double r) { return 4 * (std::pow(r, -12) - std::pow(r, -6)); }
};

TEST(Force, IsThatOfTheLennardJonesPotential) {
  Pair pair;
  pair.compute();
  const double r = std::sqrt(0.3 * 0.3 + 1.1 * 1.1 + 0.2 * 0.2);
  EXPECT_NEAR(pair.energy[0], Pair::potential(r) - Pair::potential(2.5), 1e-12);
  const double slope = (Pair::potential(r + 1e-6) - Pair::potential(r - 1e-6)) / 2e-6;
  EXPECT_NEAR(pair.f[0], -slope * -0.3 / r, 1e-6);
  EXPECT_NEAR(pair.f[1], -slope * 1.1 / r, 1e-6);
  EXPECT_NEAR(pair.f[2], -slope * -0.2 / r, 1e-6);
}

TEST(Force, IsEqualAndOpposite) {
  Pair pair;
  pair.compute();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    EXPECT_EQ(pair.f[axis], -pair.f[3 + axis]);
  }
  EXPECT_EQ(pair.energy[0], pair.energy[1]);
}

TEST(Force, EndsAtTheCutoff) {
  Pair pair;
  pair.x[3] = 1 + 2.5;
  pair.compute();
  EXPECT_EQ(pair.energy[0], 0);
  EXPECT_EQ(pair.f, std::vector<double>(6));
}

TEST(Work, WrapsAtomsIntoTheBox) {
  std::vector<double> x{-0.5, -0.5, 0, 10, 0, 0, 9.9, 0, 0};
  for (std::int64_t i = 0; i < 3; ++i) {
    Wrap{x.data(), 0, 10}(i);
  }
  EXPECT_EQ(x, (std::vector<double>{9.5, -0.5, 0, 0, 0, 0, 9.9, 0, 0}));
}

TEST(Work, GathersRowsOfAList) {
  const std::vector<std::uint64_t> from{1, 2, 3, 4, 5, 6};
  const std::vector<std::int32_t> list{2, 0};
  std::vector<std::uint64_t> to(4);
  for (std::int64_t i = 0; i < 2; ++i) {
    GatherRows{from.data(), list.data(), 2, to.data()}(i);
  }
  EXPECT_EQ(to, (std::vector<std::uint64_t>{5, 6, 1, 2}));

  std::vector<std::uint64_t> word_by_word(4);
  for (std::int64_t i = 0; i < 4; ++i) {
    GatherWords{{from.data(), list.data(), 2, word_by_word.data()}}(i);
  }
  EXPECT_EQ(word_by_word, to);
}

TEST(Work, AddsVectorsToThoseOfAList) {
  const std::vector<double> from{1, 2, 3};
  const std::vector<std::int32_t> list{1};
  std::vector<double> to{1, 1, 1, 10, 10, 10};
  AddVectors{from.data(), list.data(), to.data()}(0);
  EXPECT_EQ(to, (std::vector<double>{1, 1, 1, 11, 12, 13}));
}

}  // namespace
}  // namespace lammps
