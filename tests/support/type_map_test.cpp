// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/type_map.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace typewarp::test {
namespace {

using Pairs = std::vector<std::pair<Named, std::int64_t>>;

Pairs pairs(const Datatype& type, std::int64_t count = 1) {
  Pairs result;
  for (const Element& element : type_map(type, count))
    result.emplace_back(element.type, element.displacement);
  return result;
}

constexpr Named d = Named::double_;
constexpr Named c = Named::char_;

Datatype double_char() { return structure({1, 1}, {0, 8}, {d, c}); }

// The type maps printed in MPI 5.0, section 5.1.2.
TEST(TypeMap, ExamplesOfTheStandard) {
  EXPECT_EQ(pairs(contiguous(3, double_char())), (Pairs{{d, 0}, {c, 8}, {d, 16}, {c, 24}, {d, 32}, {c, 40}}));
  EXPECT_EQ(pairs(vector(2, 3, 4, double_char())), (Pairs{{d, 0},
                                                          {c, 8},
                                                          {d, 16},
                                                          {c, 24},
                                                          {d, 32},
                                                          {c, 40},
                                                          {d, 64},
                                                          {c, 72},
                                                          {d, 80},
                                                          {c, 88},
                                                          {d, 96},
                                                          {c, 104}}));
  EXPECT_EQ(pairs(vector(3, 1, -2, double_char())),
            (Pairs{{d, 0}, {c, 8}, {d, -32}, {c, -24}, {d, -64}, {c, -56}}));
  EXPECT_EQ(pairs(indexed({3, 1}, {4, 0}, double_char())),
            (Pairs{{d, 64}, {c, 72}, {d, 80}, {c, 88}, {d, 96}, {c, 104}, {d, 0}, {c, 8}}));
  EXPECT_EQ(pairs(structure({2, 1, 3}, {0, 16, 26}, {Named::float_, double_char(), c})),
            (Pairs{{Named::float_, 0}, {Named::float_, 4}, {d, 16}, {c, 24}, {c, 26}, {c, 27}, {c, 28}}));
}

TEST(TypeMap, ItemsLieTheExtentApart) {
  EXPECT_EQ(pairs(resized(c, 0, 3), 3), (Pairs{{c, 0}, {c, 3}, {c, 6}}));
  EXPECT_EQ(pairs(double_char(), 2), (Pairs{{d, 0}, {c, 8}, {d, 16}, {c, 24}}));
}

TEST(TypeMap, PairTypesAppearAsTheirHalves) {
  EXPECT_EQ(pairs(Named::short_int, 2),
            (Pairs{{Named::short_, 0}, {Named::int_, 4}, {Named::short_, 8}, {Named::int_, 12}}));
}

TEST(TypeMap, ArraysInBothOrders) {
  EXPECT_EQ(pairs(subarray({2, 3}, {2, 1}, {0, 1}, Order::c, c)), (Pairs{{c, 1}, {c, 4}}));
  EXPECT_EQ(pairs(subarray({2, 3}, {2, 1}, {0, 1}, Order::fortran, c)), (Pairs{{c, 2}, {c, 3}}));
  EXPECT_EQ(pairs(darray(2, 1, {5}, {Distribution::cyclic}, {2}, {2}, Order::c, c)), (Pairs{{c, 2}, {c, 3}}));
  EXPECT_EQ(
      pairs(darray(4, 2, {2, 4}, {Distribution::block, Distribution::cyclic}, {-1, -1}, {2, 2}, Order::c, c)),
      (Pairs{{c, 4}, {c, 6}}));
}

TEST(TypeMap, BytesOfElementsInOrder) {
  EXPECT_EQ(byte_map(hindexed({1, 1}, {4, 0}, Named::short_)), (std::vector<std::int64_t>{4, 5, 0, 1}));
  EXPECT_TRUE(byte_map(Named::int_, 0).empty());
}

TEST(TypeMap, BoundsAreMarkersOrPadded) {
  EXPECT_EQ(bounds(double_char()).ub, 16);
  EXPECT_EQ(bounds(vector(3, 1, -2, double_char())).lb, -64);
  const Bounds marked = bounds(structure({1, 1}, {0, 20}, {resized(Named::int_, -3, 9), d}));
  EXPECT_EQ(marked.lb, -3);
  EXPECT_EQ(marked.ub, 6);
}

}  // namespace
}  // namespace typewarp::test
