// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "nixl/item_lists.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <vector>

namespace typewarp::nixl {
namespace {

using Bytes = std::vector<std::byte>;

/// What an IndexedCopy does with the lists.
void copy(const std::vector<ItemList>& lists) {
  for (const ItemList& list : lists) {
    ASSERT_EQ(list.from.indices.size(), list.to.indices.size());
    for (std::size_t k = 0; k < list.from.indices.size(); ++k) {
      ASSERT_TRUE(list.from.indices[k] >= 0 && list.from.indices[k] < list.from.count);
      ASSERT_TRUE(list.to.indices[k] >= 0 && list.to.indices[k] < list.to.count);
      std::copy_n(list.from.first + list.from.indices[k] * list.from.stride, list.bytes,
                  list.to.first + list.to.indices[k] * list.to.stride);
    }
  }
}

Bytes numbered(std::size_t bytes) {
  Bytes all(bytes);
  for (std::size_t i = 0; i < bytes; ++i) all[i] = static_cast<std::byte>(i * 7 + i / 256 + 1);
  return all;
}

/// Runs that overlap nowhere, in an order of their own on each side, with gaps.
struct Case {
  std::vector<ByteRun> runs;
  Bytes from, to;

  Case(std::mt19937& random, const std::vector<std::int64_t>& lengths) {
    const std::int64_t all = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
    from = numbered(static_cast<std::size_t>(all + 64));
    to.resize(static_cast<std::size_t>(all) + 3 * lengths.size() + 64);
    std::vector<std::size_t> order(lengths.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<std::int64_t> places(lengths.size());
    std::shuffle(order.begin(), order.end(), random);
    std::int64_t place = 1;
    for (const std::size_t i : order) {
      places[i] = place;
      place += lengths[i] + static_cast<std::int64_t>(random() % 3);
    }
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      runs.push_back({from.data() + begin, to.data() + places[i], lengths[i]});
      begin += lengths[i];
    }
  }

  Bytes expected() const {
    Bytes result = to;
    for (const ByteRun& run : runs) std::copy_n(run.from, run.bytes, result.data() + (run.to - to.data()));
    return result;
  }
};

TEST(ItemLists, CopyRunsOfAnyLengths) {
  std::mt19937 random(7);
  for (int i = 0; i < 200; ++i) {
    const std::size_t kinds = 1 + random() % 20;
    std::vector<std::int64_t> lengths(random() % 60);
    for (std::int64_t& length : lengths) length = static_cast<std::int64_t>(random() % kinds * 37 % 500);
    Case runs(random, lengths);
    const Bytes expected = runs.expected();
    copy(item_lists_of(runs.runs));
    ASSERT_EQ(runs.to, expected) << "case " << i;
  }
}

TEST(ItemLists, AreOneForEachLengthIfTheseAreFew) {
  std::mt19937 random(1);
  Case few(random, {100, 37, 100, 37, 0, 5});
  EXPECT_EQ(item_lists_of(few.runs).size(), 3U);
  Case many(random, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const std::vector<ItemList> pieces = item_lists_of(many.runs);
  EXPECT_EQ(pieces.size(), 4U);  // of 1, 2, 4 and 8 bytes
  EXPECT_TRUE(item_lists_of({}).empty());
}

TEST(ItemLists, KeepTheAlignmentOfPages) {
  Bytes memory(64 << 10);
  auto* const begin =
      reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(memory.data()) + 4095) / 4096 * 4096);
  std::vector<ByteRun> runs;
  for (const int page : {5, 2, 9, 3}) runs.push_back({begin + page * 4096, begin + (12 - page) * 4096, 4096});
  const std::vector<ItemList> lists = item_lists_of(runs);
  ASSERT_EQ(lists.size(), 1U);
  EXPECT_EQ(lists[0].from.stride, 4096);
  EXPECT_EQ(lists[0].from.first, begin + 2 * 4096);
  EXPECT_EQ(lists[0].from.indices, (std::vector<std::int64_t>{3, 0, 7, 1}));
  EXPECT_EQ(lists[0].from.count, 8);
}

/// What a device reads.
std::vector<std::int64_t> written(const ItemSide& side) {
  std::vector<std::int64_t> words(static_cast<std::size_t>(side.list_bytes()) / sizeof(std::int64_t));
  side.write_list(reinterpret_cast<std::byte*>(words.data()));
  if (side.index_bytes() == 8) return words;
  const auto* const halves = reinterpret_cast<const std::int32_t*>(words.data());
  return {halves, halves + side.indices.size()};
}

TEST(ItemLists, AreWrittenAsIndicesThatHoldTheLast) {
  constexpr std::uintptr_t begin = std::uintptr_t{1} << 40;  // nothing is there, and nothing is copied
  for (const std::uintptr_t last : {(std::uintptr_t{1} << 31) - 2, (std::uintptr_t{1} << 31) - 1}) {
    std::vector<ByteRun> runs;
    for (const std::uintptr_t place : {last, std::uintptr_t{0}, std::uintptr_t{7}})
      runs.push_back({reinterpret_cast<std::byte*>(begin + place), nullptr, 1});
    const std::vector<ItemList> lists = item_lists_of(runs);
    ASSERT_EQ(lists.size(), 1U);
    const ItemSide& side = lists[0].from;
    EXPECT_EQ(side.index_bytes(), side.count <= 0x7fffffff ? 4 : 8);
    EXPECT_EQ(side.list_bytes(), side.index_bytes() == 4 ? 16 : 24);
    EXPECT_EQ(written(side), (std::vector<std::int64_t>{static_cast<std::int64_t>(last), 0, 7}));
    EXPECT_EQ(written(lists[0].to), (std::vector<std::int64_t>{0, 0, 0}));
  }
}

TEST(ItemLists, KeepTheAlignmentOfASingleRun) {
  std::byte here{}, there{};  // nothing is copied
  const std::vector<ByteRun> runs{{&here, &there, 4096}};
  const std::vector<ItemList> lists = item_lists_of(runs);
  ASSERT_EQ(lists.size(), 1U);
  EXPECT_EQ(lists[0].from.stride % 16, 0);
  EXPECT_EQ(lists[0].to.stride % 16, 0);
  EXPECT_EQ(lists[0].from.count, 1);
}

}  // namespace
}  // namespace typewarp::nixl
