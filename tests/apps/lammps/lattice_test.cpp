// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lammps/lattice.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>

namespace lammps {
namespace {

const Grid cells{3, 4, 2};

TEST(Lattice, HasTheTemperatureAndNoMomentum) {
  const Start start = make_start(make_domain({1, 1, 1}, {8, 8, 8}, 0), {8, 8, 8}, 5);
  ASSERT_EQ(start.tags.size(), 4u * 512);
  std::array<double, 3> momentum{};
  double squares = 0;
  for (std::size_t i = 0; i < start.v.size(); ++i) {
    momentum[i % 3] += start.v[i];
    squares += start.v[i] * start.v[i];
  }
  for (const double sum : momentum) {
    EXPECT_NEAR(sum, 0, 1e-11);
  }
  EXPECT_NEAR(squares / static_cast<double>(start.v.size()), 1.44, 0.06);
}

/// The same atoms by their tags, whether one rank has them or six.
TEST(Lattice, DoesNotDependOnTheRanks) {
  const Grid ranks{2, 1, 3};
  std::map<std::int64_t, std::array<double, 6>> found;
  for (int rank = 0; rank < 6; ++rank) {
    const Start part = make_start(make_domain(ranks, cells, rank), cells, 9);
    for (std::size_t i = 0; i < part.tags.size(); ++i) {
      found[part.tags[i]] = {part.x[3 * i], part.x[3 * i + 1], part.x[3 * i + 2],
                             part.v[3 * i], part.v[3 * i + 1], part.v[3 * i + 2]};
    }
  }
  const Grid all{6, 4, 6};
  const Start whole = make_start(make_domain({1, 1, 1}, all, 0), all, 9);
  ASSERT_EQ(found.size(), whole.tags.size());
  for (std::size_t i = 0; i < whole.tags.size(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      EXPECT_EQ(found[whole.tags[i]][axis], whole.x[3 * i + axis]);
      EXPECT_EQ(found[whole.tags[i]][3 + axis], whole.v[3 * i + axis]);
    }
  }
}

}  // namespace
}  // namespace lammps
