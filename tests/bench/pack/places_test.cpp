// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "places.hpp"

#include "support/random_type.hpp"
#include "support/type_map.hpp"

#include <gtest/gtest.h>

namespace typewarp::bench {
namespace {

void expect_type_map(const Datatype& type, std::int64_t count = 1) {
  const Layout layout = normalise(type, count);
  if (layout.size() == 0) return;
  const Places places(layout);
  std::vector<std::int64_t> found;
  for (std::int64_t byte = 0; byte < layout.size(); ++byte) found.push_back(places.view()(byte));
  ASSERT_EQ(found, test::byte_map(type, count)) << layout.to_string();
}

TEST(Places, Runs) {
  expect_type_map(contiguous(40, Named::byte));
  expect_type_map(hindexed_block(1, {-24}, Named::double_));
}

TEST(Places, NestedStridesOfAnySign) {
  expect_type_map(hvector(5, 2, 100, hvector(3, 1, -16, Named::int_)), 3);
  const Datatype column = resized(hvector(6, 1, 6 * 4, Named::int_), 0, 4);
  expect_type_map(contiguous(6, column));
}

TEST(Places, Lists) {
  expect_type_map(hindexed_block(2, {40, 0, 100, 19}, Named::int_), 2);
  expect_type_map(indexed({3, 0, 1, 7, 0}, {30, 5, 0, 10, 2}, Named::short_));
  expect_type_map(hindexed({2, 0, 3}, {400, 7, 0}, hvector(2, 1, 24, Named::double_)));
}

TEST(Places, Structs) {
  const Datatype item = structure({1, 1, 1}, {0, 8, 17}, {Named::char_, Named::double_, Named::short_});
  expect_type_map(item, 9);
  expect_type_map(structure({2, 1}, {300, 0}, {item, hvector(4, 1, 50, item)}), 2);
}

TEST(Places, RandomTypes) {
  test::RandomTypeOptions options;
  options.overlap = true;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    expect_type_map(test::random_type(seed, options), 1 + static_cast<std::int64_t>(seed % 3));
  }
}

}  // namespace
}  // namespace typewarp::bench
