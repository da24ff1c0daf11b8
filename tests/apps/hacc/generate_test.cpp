// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hacc/generate.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace hacc {
namespace {

std::int64_t sum(std::span<const std::int32_t> values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

TEST(Generate, DependsOnNothingButSeedAndIndex) {
  const Grid grid{2, 2, 2};
  EXPECT_TRUE(equal(generate(1, 100, grid, 3), generate(1, 100, grid, 3)));
  EXPECT_FALSE(equal(generate(1, 100, grid, 3), generate(2, 100, grid, 3)));
}

TEST(Generate, PlacesBlocksAlongZFirst) {
  EXPECT_EQ(position({2, 3, 4}, 0), (Grid{0, 0, 0}));
  EXPECT_EQ(position({2, 3, 4}, 5), (Grid{0, 1, 1}));
  EXPECT_EQ(position({2, 3, 4}, 23), (Grid{1, 2, 3}));
}

TEST(Generate, DividesTheParticlesOfEightBlocksAsTheirTimesInTable4) {
  std::int64_t all = 0;
  for (std::int64_t i = 0; i < 8; ++i) {
    all += particles_of(4096, i);
  }
  EXPECT_NEAR(static_cast<double>(all), 32768, 4);
  EXPECT_NEAR(static_cast<double>(particles_of(4096, 2)) / static_cast<double>(particles_of(4096, 5)),
              1.68 / 0.26, 0.01);
  EXPECT_EQ(particles_of(4096, 8), particles_of(4096, 0));
}

TEST(Generate, CountsWhatTheArraysHold) {
  const Block block = generate(3, 500, {1, 2, 1}, 1);
  const Header& header = block.header();
  EXPECT_EQ(header.num_orig_particles, particles_of(500, 1));
  ASSERT_GT(header.num_complete_cells, 0);
  EXPECT_LT(header.num_complete_cells, header.num_cells);
  EXPECT_EQ(sum(block.array<std::int32_t>(Array::num_cell_faces)), header.num_cell_faces);
  EXPECT_EQ(sum(block.array<std::int32_t>(Array::num_face_verts)), header.num_face_verts);
  for (const std::int32_t vertex : block.array<std::int32_t>(Array::face_verts)) {
    ASSERT_GE(vertex, 0);
    ASSERT_LT(vertex, header.num_verts);
  }
}

/// 15.5 faces a cell, 27 vertices, and 5.2 vertices a face, as published of random Voronoi cells.
TEST(Generate, HasCellsOfAVoronoiTessellation) {
  const Header header = generate(1, 4096, {1, 1, 1}, 0).header();
  const double cells = header.num_complete_cells;
  EXPECT_NEAR(header.num_cell_faces / cells, 15.5, 0.2);
  EXPECT_NEAR(header.num_cell_verts / cells, 27, 0.4);
  EXPECT_NEAR(header.num_face_verts / static_cast<double>(header.num_cell_faces), 5.2, 0.1);
}

TEST(Generate, KeepsParticlesInTheirBlock) {
  const Block block = generate(5, 300, {2, 2, 2}, 6);
  const Header& header = block.header();
  EXPECT_EQ(header.mins, (std::array<float, 3>{1, 1, 0}));
  std::size_t axis = 0;
  for (const float x : block.array<float>(Array::sites)) {
    EXPECT_GE(x, header.mins[axis % 3]);
    EXPECT_LE(x, header.maxs[axis % 3]);
    ++axis;
  }
}

TEST(Generate, MakesBlocksWithoutCells) {
  const Header header = generate(1, 1, {1, 1, 1}, 5).header();
  EXPECT_EQ(header.num_orig_particles, 0);
  EXPECT_EQ(header.num_face_verts, 0);
}

}  // namespace
}  // namespace hacc
