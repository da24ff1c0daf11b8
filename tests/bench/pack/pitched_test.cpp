// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "places.hpp"
#include "problems.hpp"

#include <gtest/gtest.h>

namespace typewarp::bench {
namespace {

/// Where the copies that it describes find packed bytes, in this order.
std::vector<std::int64_t> places_of(const Pitched& pitched) {
  std::vector<std::int64_t> places;
  for (std::int64_t box = 0; box < pitched.boxes; ++box) {
    for (std::int64_t plane = 0; plane < pitched.depth; ++plane) {
      for (std::int64_t row = 0; row < pitched.height; ++row) {
        const std::int64_t first =
            pitched.offset + box * pitched.distance + (plane * pitched.rows + row) * pitched.pitch;
        for (std::int64_t byte = 0; byte < pitched.width; ++byte) places.push_back(first + byte);
      }
    }
  }
  return places;
}

void expect_that_copies_move_the_same(const Problem& problem) {
  const Layout layout = normalise(problem.type, problem.count);
  const Places places(layout);
  std::vector<std::int64_t> found;
  for (std::int64_t byte = 0; byte < layout.size(); ++byte) found.push_back(places.view()(byte));
  ASSERT_EQ(places_of(problem.pitched.value()), found) << layout.to_string();
}

TEST(Pitched, OfASubarrayOfFourDimensionsIsABoxForEachPlaceAlongTheFirst) {
  for (std::int64_t packed = 64; packed <= std::int64_t{1} << 18; packed *= 2) {
    SCOPED_TRACE(packed);
    const Problem problem = hypercube(packed);
    EXPECT_GT(problem.pitched->boxes, 1);
    expect_that_copies_move_the_same(problem);
  }
}

TEST(Pitched, OfAVectorIsItsRows) { expect_that_copies_move_the_same(strided_blocks(4096, 4, 64)); }

TEST(Pitched, OfAFaceIsItsRows) {
  for (const char axis : {'x', 'y'}) {
    for (const std::int64_t width : {1, 2}) {
      SCOPED_TRACE(axis);
      expect_that_copies_move_the_same(face(axis, 8, width));
    }
  }
}

}  // namespace
}  // namespace typewarp::bench
