// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hacc/slice.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace hacc {
namespace {

/// By looking at all particles.
float nearest_value(const Block& block, const std::array<float, 3>& point) {
  const auto sites = block.array<float>(Array::sites);
  float best = std::numeric_limits<float>::max();
  std::size_t cell = 0;
  for (std::size_t i = 0; i < sites.size() / 3; ++i) {
    float away = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      away += (sites[3 * i + axis] - point[axis]) * (sites[3 * i + axis] - point[axis]);
    }
    if (away < best) {
      best = away;
      cell = i;
    }
  }
  const auto complete = static_cast<std::size_t>(block.header().num_complete_cells);
  return cell < complete ? 2 * block.array<float>(Array::vols)[cell] - 1 : 0;
}

TEST(Slice, ShowsTheCellOfTheNearestParticle) {
  std::vector<Block> blocks;
  const Grid grid{1, 2, 2};
  for (std::int64_t i = 0; i < 4; ++i) {
    blocks.push_back(generate(11, 200, grid, i));
  }
  const apps::Shape shape{20, 40};
  const std::vector<float> field = slice(blocks, grid, shape);
  ASSERT_EQ(field.size(), 800u);
  for (std::int64_t row = 0; row < shape.rows; ++row) {
    for (std::int64_t column = 0; column < shape.columns; ++column) {
      const std::array<float, 3> point{(static_cast<float>(row) + 0.5f) / 20,
                                       (static_cast<float>(column) + 0.5f) / 20, 0.5f};
      const Block& block = blocks[column < 20 ? 0 : 2];
      EXPECT_EQ(field[static_cast<std::size_t>(row * 40 + column)], nearest_value(block, point));
    }
  }
}

TEST(Slice, IsDarkWhereThereAreNoParticles) {
  std::vector<Block> blocks;
  blocks.emplace_back(typewarp::MemoryKind::host, Header{});
  EXPECT_EQ(slice(blocks, {1, 1, 1}, {2, 2}), (std::vector<float>(4, 0.0f)));
}

}  // namespace
}  // namespace hacc
