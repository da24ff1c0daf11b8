// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/indexed_copy.hpp>

#include "engine/calls.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace typewarp {
namespace {

using test::message_of;

const Plan row = commit(contiguous(2, Named::int_));
constexpr std::int64_t row_bytes = 2 * sizeof(int);

/// Rows of two numbers.
struct Table {
  explicit Table(std::size_t count) : values(test::counting(2 * count)) {}
  ItemArray array() { return {values.data(), static_cast<std::int64_t>(values.size() / 2), row_bytes, row}; }

  std::vector<std::int32_t> values;
};

std::string constructed(ItemArray source, ItemArray destination) {
  return message_of([&] { IndexedCopy(std::span(&source, 1), std::span(&destination, 1)); });
}

TEST(IndexedCopy, NamesTheArrayThatIsWrong) {
  Table four(4), three(3);
  ItemArray wrong = four.array();
  wrong.count = -1;
  EXPECT_EQ(constructed(wrong, three.array()),
            "typewarp::IndexedCopy: source[0].count = -1: must not be negative");
  wrong = four.array();
  wrong.stride = std::numeric_limits<std::int64_t>::max();
  EXPECT_NE(constructed(three.array(), wrong).find("destination[0].stride"), std::string::npos);
  wrong = four.array();
  wrong.plan = commit(contiguous(3, Named::int_));
  EXPECT_EQ(constructed(four.array(), wrong),
            "typewarp::IndexedCopy: destination[0].plan = 12: must have as many bytes as that of the source");
  const std::vector<ItemArray> differing{four.array(), three.array()};
  EXPECT_EQ(message_of([&] { IndexedCopy(differing, differing); }),
            "typewarp::IndexedCopy: source[1].count = 3: must be that of the first array");
  EXPECT_NE(message_of([&] { IndexedCopy(differing, {}); }).find("destination = 0"), std::string::npos);
}

TEST(IndexedCopy, NamesTheIndexThatIsOutOfRangeAndMovesNothing) {
  Table source(4), destination(3);
  const ItemArray from = source.array(), to = destination.array();
  IndexedCopy copy(std::span(&from, 1), std::span(&to, 1));
  const std::vector<std::int32_t> before = destination.values;
  const std::int32_t past[] = {0, 4};
  const std::int64_t negative[] = {0, -1};
  EXPECT_EQ(message_of([&] { copy.copy(past, {}, 2); }),
            "typewarp::IndexedCopy::copy: from[1] = 4: must be at least 0 and less than 4");
  EXPECT_EQ(message_of([&] { copy.copy({}, negative, 2); }),
            "typewarp::IndexedCopy::copy: to[1] = -1: must be at least 0 and less than 3");
  EXPECT_EQ(
      message_of([&] { copy.copy({}, {}, 4); }),
      "typewarp::IndexedCopy::copy: count = 4: must be at most 3, the items of each array, without a list");
  EXPECT_EQ(message_of([&] { copy.copy({}, {}, -1); }),
            "typewarp::IndexedCopy::copy: count = -1: must not be negative");
  IndexList odd(past);
  odd.bytes = 2;
  EXPECT_EQ(message_of([&] { copy.copy(odd, {}, 2); }),
            "typewarp::IndexedCopy::copy: from.bytes = 2: must be 4 or 8");
  EXPECT_EQ(destination.values, before);
  copy.check();
}

TEST(IndexedCopy, GathersScattersAndDoesBoth) {
  Table source(4), destination(4);
  const ItemArray from = source.array(), to = destination.array();
  IndexedCopy copy(std::span(&from, 1), std::span(&to, 1));
  const std::int32_t three_one[] = {3, 1};
  const std::int64_t two_two[] = {2, 0};
  copy.copy(three_one, {}, 2);
  EXPECT_EQ(destination.values, (std::vector<std::int32_t>{7, 8, 3, 4, 5, 6, 7, 8}));
  copy.copy({}, three_one, 2);
  EXPECT_EQ(destination.values, (std::vector<std::int32_t>{7, 8, 3, 4, 5, 6, 1, 2}));
  copy.copy(three_one, two_two, 2);
  EXPECT_EQ(destination.values, (std::vector<std::int32_t>{3, 4, 3, 4, 7, 8, 1, 2}));
  copy.copy({}, {}, 0);
}

TEST(IndexedCopy, RefusesListsThatAreNotAligned) {
  Table source(4), destination(3);
  const ItemArray from = source.array(), to = destination.array();
  IndexedCopy copy(std::span(&from, 1), std::span(&to, 1));
  alignas(8) const std::int32_t values[4]{};
  const IndexList odd(reinterpret_cast<const std::int64_t*>(values + 1));
  EXPECT_NE(message_of([&] { copy.copy(odd, {}, 1); }).find("from.values = "), std::string::npos);
}

TEST(IndexedCopy, OfArraysWithoutItemsMovesNone) {
  Table source(4);
  const ItemArray from = source.array(), to{nullptr, 0, row_bytes, row};
  IndexedCopy copy(std::span(&from, 1), std::span(&to, 1));
  const std::int32_t first[] = {0};
  copy.copy({}, {}, 0);
  EXPECT_EQ(message_of([&] { copy.copy(first, first, 1); }),
            "typewarp::IndexedCopy::copy: count = 1: must be 0, since there are arrays without items");
}

TEST(IndexedCopy, OfNothingMovesNothing) {
  IndexedCopy nothing({}, {});
  nothing.copy({}, {}, 0);
  const ItemArray empty{nullptr, 3, 0, commit(contiguous(0, Named::int_))};
  IndexedCopy of_no_bytes(std::span(&empty, 1), std::span(&empty, 1));
  of_no_bytes.copy({}, {}, 3);
}

}  // namespace
}  // namespace typewarp
