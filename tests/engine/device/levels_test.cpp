// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/layout/shape.hpp"
#include "plan/state.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace typewarp::gpu {
namespace {

/// The shape of `count` items; Lookup::generic where there is no room for the repetition.
Shape shape(const Datatype& datatype, std::int64_t count = 1) {
  Shape result = shape_of(plan::state_of(commit(datatype)).encoding);
  if (!result.repeat(count, datatype.extent())) result.lookup = Lookup::generic;
  return result;
}

std::vector<Level> levels(const Datatype& datatype, std::int64_t count = 1) {
  const Shape found = shape(datatype, count);
  const auto begin = found.strided.levels.begin();
  return {begin, begin + static_cast<std::ptrdiff_t>(found.strided.depth)};
}

TEST(Strided, ListsLevelsInnermostFirst) {
  EXPECT_EQ(levels(vector(3, 2, 5, Named::double_)), (std::vector<Level>{{16, 1}, {3, 40}}));
  EXPECT_EQ(levels(subarray({8, 8, 8}, {2, 3, 4}, {0, 0, 0}, Order::c, Named::float_)),
            (std::vector<Level>{{16, 1}, {3, 32}, {2, 256}}));
}

TEST(Strided, JoinsItemsThatContinueTheLayout) {
  const Datatype row = contiguous(10, Named::int_);
  EXPECT_EQ(levels(row, 7), (std::vector<Level>{{280, 1}}));
  const Datatype column = resized(vector(3, 1, 4, Named::int_), 0, 48);
  EXPECT_EQ(levels(column, 5), (std::vector<Level>{{4, 1}, {15, 16}}));
}

TEST(Strided, KeepsItemsApartThatDoNot) {
  EXPECT_EQ(levels(vector(3, 1, 4, Named::int_), 2), (std::vector<Level>{{4, 1}, {3, 16}, {2, 36}}));
  EXPECT_EQ(levels(resized(Named::int_, 0, -4), 3), (std::vector<Level>{{4, 1}, {3, -4}}));
}

TEST(Shape, IsContiguousForOneRun) {
  const auto contiguous_items = [](std::int64_t extent) {
    return shape(resized(contiguous(9, Named::int_), 0, extent), 4).contiguous();
  };
  EXPECT_TRUE(contiguous_items(36));
  EXPECT_FALSE(contiguous_items(40));
}

TEST(Shape, HasOneListAmongLevels) {
  const Shape found =
      shape(resized(hvector(3, 1, 4096, indexed_block(2, {0, 3, 11}, Named::int_)), 0, 65536), 5);
  EXPECT_EQ(found.lookup, Lookup::list);
  EXPECT_EQ(found.lookup_level, 1u);
  EXPECT_EQ(found.strided.levels[1].count, 3);
  EXPECT_EQ(found.strided.depth, 4u);
}

TEST(Shape, RanksShortRunsAndSearchesLongOnes) {
  EXPECT_EQ(shape(indexed({1, 2, 1}, {0, 3, 11}, Named::int_), 7).lookup, Lookup::rank);
  EXPECT_EQ(shape(structure({1, 1}, {0, 8}, {Named::char_, Named::double_})).lookup, Lookup::rank);
  EXPECT_EQ(shape(indexed({100, 200, 150}, {0, 300, 1100}, Named::int_)).lookup, Lookup::search);
}

TEST(Shape, ListsEqualBlocksOfWhichFewTouch) {
  const auto found = [](int blocks) {
    std::vector<std::int64_t> places;
    for (int i = 0; i < blocks; ++i) places.push_back(i == 1 ? 1 : 3 * i);
    return shape(indexed_block(1, places, Named::double_), 2);
  };
  EXPECT_EQ(found(5).lookup, Lookup::list);
  EXPECT_EQ(found(5).lookup_level, 1u);
  EXPECT_EQ(found(5).strided.levels[0].count, 8);
  EXPECT_EQ(found(5).strided.levels[1].count, 5);
  EXPECT_EQ(found(4).lookup, Lookup::rank) << "4 units of 3 runs";
}

TEST(Shape, FlattensListsInLists) {
  const Datatype inner = indexed({1, 2, 1}, {0, 3, 11}, Named::int_);
  const Shape found = shape(hindexed({1, 1, 1}, {0, 100, 400}, inner));
  EXPECT_EQ(found.lookup, Lookup::rank);
  EXPECT_EQ(found.strided.depth, 1u);
  EXPECT_EQ(found.strided.levels[0].count, 48);
}

TEST(Shape, FlattensMoreLevelsThanAViewHolds) {
  Datatype type = Named::int_;
  for (std::size_t level = 1; level < Strided::capacity; ++level)
    type = hvector(2, 1, 3 * type.extent(), type);
  EXPECT_EQ(shape(type).lookup, Lookup::none);
  EXPECT_EQ(shape(type).strided.depth, Strided::capacity);
  EXPECT_TRUE(shape(hvector(2, 1, 3 * type.extent(), type)).lists_units);
  EXPECT_EQ(shape(resized(type, 0, 3 * type.extent()), 2).lookup, Lookup::generic);
}

TEST(Shape, IsGenericWhereEveryRunByItselfWouldBeTooMany) {
  const Datatype inner = indexed({1, 2, 1}, {0, 3, 11}, Named::int_);
  const Datatype many = hvector(flat_runs, 1, 1024, inner);
  EXPECT_EQ(shape(many).lookup, Lookup::rank);
  EXPECT_EQ(shape(hindexed({1, 1, 1}, {0, 1L << 40, 1L << 43}, many)).lookup, Lookup::generic);
}

TEST(Shape, JoinsOnlyWhatStays64Bits) {
  EXPECT_EQ(levels(resized(contiguous(4, Named::int_), 0, 16), std::int64_t{1} << 60),
            (std::vector<Level>{{16, 1}, {std::int64_t{1} << 60, 16}}));
}

TEST(Shape, FitsWhatHas32BitIndices) {
  const std::int64_t giant = std::int64_t{1} << 40;
  EXPECT_TRUE(shape(vector(giant, 1, 2, Named::double_)).fits(0))
      << "the outermost level is entered anywhere";
  EXPECT_FALSE(shape(hvector(3, 1, 1L << 50, vector(giant, 1, 2, Named::double_))).fits(3));
  EXPECT_TRUE(shape(indexed({1, 1 << 29}, {0, 3}, Named::byte)).fits(0));
  EXPECT_FALSE(shape(indexed({1, 1 << 30}, {0, 3}, Named::byte)).fits(0));
}

TEST(Strided, GrainDividesRunAndStrides) {
  const auto grain = [](const Datatype& type) { return shape(type).strided.grain(); };
  EXPECT_EQ(grain(vector(3, 4, 8, Named::double_)), 16);
  EXPECT_EQ(grain(vector(3, 1, 2, Named::double_)), 8);
  EXPECT_EQ(grain(hvector(3, 4, 18, Named::int_)), 2);
  EXPECT_EQ(grain(hvector(3, 1, -7, Named::byte)), 1);
}

}  // namespace
}  // namespace typewarp::gpu
