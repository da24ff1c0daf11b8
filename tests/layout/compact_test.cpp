// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "layout/compact.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace typewarp::layout {
namespace {

using List = std::vector<std::int64_t>;
constexpr std::int64_t anywhere = std::numeric_limits<std::int64_t>::max();

Compacted compact(const List& displacements, const List& counts, std::int64_t unit, std::int64_t stride,
                  const NodePtr& child) {
  const BlockList list{displacements, counts, unit, stride, child};
  return compacted(list, unit_of(list));
}

TEST(Compacted, DropsEmptyBlocksWhereverTheyLie) {
  const Compacted result = compact({anywhere, 5, anywhere, 9, anywhere}, {0, 1, 0, 2, 0}, 4, 4, run(4));
  EXPECT_EQ(result.offset, 20);
  EXPECT_EQ(result.blocks.displacements, (List{0, 16}));
  EXPECT_EQ(result.blocks.counts, (List{4, 8}));
  EXPECT_TRUE(compact({anywhere, 3}, {0, 0}, 4, 4, run(4)).blocks.displacements.empty());
}

TEST(Compacted, MergesWhatContinues) {
  // The first blocks of a list, equal until then, some in the middle, and the last ones.
  const Compacted result = compact({0, 4, 8, 20, 30, 34, 50, 54}, {}, 1, 4, run(4));
  EXPECT_EQ(result.blocks.displacements, (List{0, 20, 30, 50}));
  EXPECT_EQ(result.blocks.counts, (List{12, 4, 8, 8}));
  EXPECT_EQ(compact({0, 10, 14}, {}, 1, 4, run(4)).blocks.counts, (List{4, 8}));
}

TEST(Compacted, MergesRepetitionsOfOneStride) {
  const NodePtr pair = repeat(2, 12, run(4));
  const Compacted result = compact({0, 24, 100}, {}, 1, 0, pair);
  EXPECT_EQ(result.blocks.displacements, (List{0, 100}));
  EXPECT_EQ(result.blocks.counts, (List{4, 2}));
  EXPECT_EQ(result.blocks.stride, 12);
}

}  // namespace
}  // namespace typewarp::layout
