// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/cuda/strided.hpp"

#include <typewarp/plan.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace typewarp::cuda {
namespace {

std::vector<Level> levels(const Datatype& datatype, std::int64_t count = 1) {
  const auto shape = strided(normalise(datatype), count, datatype.extent());
  if (!shape) return {};
  return {shape->levels.begin(), shape->levels.begin() + static_cast<std::ptrdiff_t>(shape->depth)};
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

TEST(Strided, IsContiguousForOneRun) {
  EXPECT_TRUE(strided(normalise(contiguous(9, Named::int_)), 4, 36)->contiguous());
  EXPECT_FALSE(strided(normalise(contiguous(9, Named::int_)), 4, 40)->contiguous());
}

TEST(Strided, RefusesIrregularLayouts) {
  EXPECT_FALSE(strided(normalise(indexed({1, 2, 1}, {0, 3, 11}, Named::int_)), 1, 48));
  EXPECT_FALSE(strided(normalise(structure({1, 1}, {0, 8}, {Named::char_, Named::double_})), 1, 16));
}

TEST(Strided, RefusesMoreLevelsThanItHolds) {
  Datatype type = Named::int_;
  for (std::size_t level = 1; level < Strided::capacity; ++level)
    type = hvector(2, 1, 3 * type.extent(), type);
  const auto full = strided(normalise(type), 1, type.extent());
  ASSERT_TRUE(full);
  EXPECT_EQ(full->depth, Strided::capacity);
  EXPECT_FALSE(strided(normalise(type), 2, 3 * type.extent()));
}

TEST(Strided, RefusesARunBeyond64Bits) {
  EXPECT_FALSE(strided(normalise(contiguous(4, Named::int_)), std::int64_t{1} << 60, 16));
}

TEST(Strided, GrainDividesRunAndStrides) {
  const auto grain = [](const Datatype& type) { return strided(normalise(type), 1, type.extent())->grain(); };
  EXPECT_EQ(grain(vector(3, 4, 8, Named::double_)), 16);
  EXPECT_EQ(grain(vector(3, 1, 2, Named::double_)), 8);
  EXPECT_EQ(grain(hvector(3, 4, 18, Named::int_)), 2);
  EXPECT_EQ(grain(hvector(3, 1, -7, Named::byte)), 1);
}

}  // namespace
}  // namespace typewarp::cuda
