// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/layout.hpp>

#include <gtest/gtest.h>

namespace typewarp {
namespace {

std::string text(const Datatype& type) { return normalise(type).to_string(); }

TEST(Layout, PrintsEachShape) {
  EXPECT_EQ(text(contiguous(0, Named::int_)), "run 0");
  EXPECT_EQ(text(contiguous(5, Named::int_)), "run 20");
  EXPECT_EQ(text(hindexed({1}, {-12}, Named::int_)), "at -12: run 4");
  EXPECT_EQ(text(vector(3, 2, 4, Named::double_)), "repeat 3 x stride 32 of run 16");
  EXPECT_EQ(text(indexed_block(1, {4, 0, 9}, Named::int_)), "at 16: blocks 3 at {0, -16, 20} of run 4");
  EXPECT_EQ(text(indexed({1, 2}, {0, 5}, Named::int_)),
            "blocks 2 at {0, 20} counts {4, 8} x stride 1 of run 1");
  EXPECT_EQ(text(structure({1, 1}, {0, 8}, {Named::char_, vector(2, 1, 2, Named::int_)})),
            "sequence 2 (at 0: run 1; at 8: repeat 2 x stride 8 of run 4)");
}

TEST(Layout, MergesWhatIsAdjacent) {
  EXPECT_EQ(text(structure({1, 2, 1}, {0, 8, 16}, {Named::double_, Named::int_, Named::char_})), "run 17");
  EXPECT_EQ(text(indexed({2, 3}, {1, 3}, Named::int_)), "at 4: run 20");
  EXPECT_EQ(text(indexed({3, 2}, {3, 1}, Named::int_)),
            "at 12: blocks 2 at {0, -8} counts {12, 8} x stride 1 of run 1");
  const Datatype pair = resized(Named::int_, 0, 8);
  EXPECT_EQ(text(indexed({2, 3}, {0, 2}, pair)), "repeat 5 x stride 8 of run 4");
}

TEST(Layout, KeepsOverlapAndRepetitionInPlace) {
  EXPECT_EQ(text(hvector(3, 1, 0, Named::int_)), "repeat 3 x stride 0 of run 4");
  EXPECT_EQ(text(hvector(3, 1, 2, Named::int_)), "repeat 3 x stride 2 of run 4");
  EXPECT_EQ(text(vector(3, 1, -2, Named::int_)), "repeat 3 x stride -8 of run 4");
}

TEST(Layout, FindsPeriodsOfStructs) {
  const Datatype flat = hindexed({1, 12, 1, 12, 1, 12}, {0, 8, 24, 32, 48, 56}, Named::byte);
  EXPECT_EQ(text(flat), "repeat 3 x stride 24 of blocks 2 at {0, 8} counts {1, 12} x stride 1 of run 1");
}

TEST(Layout, CountsWhatIsMostlyEvenAndListsTheRest) {
  const Datatype spaced = resized(Named::double_, 0, 16);
  const std::string listed = "blocks 4 at {0, 100, 116, 132} of run 8";
  EXPECT_EQ(text(hindexed_block(1, {0, 100, 116, 132}, Named::double_)), listed);
  EXPECT_EQ(text(hindexed({1, 3}, {0, 100}, spaced)), listed);
  EXPECT_EQ(text(structure({1, 1}, {0, 100}, {Named::double_, vector(3, 1, 2, Named::double_)})), listed);

  std::vector<std::int64_t> flat = {0};
  for (std::int64_t i = 0; i < 20; ++i) flat.push_back(100 + 16 * i);
  const std::string counted = "blocks 2 at {0, 100} counts {1, 20} x stride 16 of run 8";
  EXPECT_EQ(text(hindexed_block(1, flat, Named::double_)), counted);
  EXPECT_EQ(text(hindexed({1, 20}, {0, 100}, spaced)), counted);
}

TEST(Layout, BuildsASharedTreeOnce) {
  Datatype type = hindexed({1, 2}, {0, 5}, Named::char_);
  std::int64_t bytes = 3;
  for (int level = 0; level < 40; ++level) {
    type = structure({1, 1}, {0, type.extent()}, {type, type});
    bytes *= 2;
  }
  EXPECT_EQ(normalise(type).size(), bytes);
}

TEST(Layout, GroupsEvenRunsOfAnIrregularList) {
  EXPECT_EQ(text(indexed_block(1, {0, 2, 4, 17, 19, 21, 30, 32, 34}, Named::int_)),
            "blocks 3 at {0, 68, 120} of repeat 3 x stride 8 of run 4");
}

TEST(Layout, ComparesByStructure) {
  EXPECT_EQ(normalise(vector(3, 1, 2, Named::int_)), normalise(hvector(3, 4, 8, Named::byte)));
  EXPECT_NE(normalise(vector(3, 1, 2, Named::int_)), normalise(vector(3, 1, 3, Named::int_)));
  EXPECT_NE(normalise(vector(3, 1, 2, Named::int_)), normalise(vector(4, 1, 2, Named::int_)));
  EXPECT_NE(normalise(Named::int_), normalise(hindexed({1}, {4}, Named::int_)));
}

TEST(Layout, RepeatsLikeACount) {
  const Datatype column = vector(3, 1, 4, Named::double_);
  EXPECT_EQ(repeat(normalise(column), 5, 8), normalise(contiguous(5, resized(column, 0, 8))));
  EXPECT_EQ(repeat(normalise(column), 0, 8), Layout());
  EXPECT_EQ(normalise(Layout()), Layout());
  EXPECT_THROW(Layout(0, nullptr), InvalidArgument);
}

}  // namespace
}  // namespace typewarp
