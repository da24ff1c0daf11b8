// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// The table that a kernel of many copies reads, without a kernel.

#include "engine/device/batch/copy_table.hpp"

#include <gtest/gtest.h>

namespace typewarp::gpu {
namespace {

constexpr int word_log2 = 3;

/// `count` words in rows of `row`, 1000 bytes apart; deep ones do not fit a small view.
CopySide side(std::int64_t first, std::int64_t row, int depth) {
  View view;
  view.base = reinterpret_cast<std::byte*>(first);
  view.depth = depth;
  for (int level = 0; level < depth; ++level) {
    view.strides[level] = level == 0 ? 1 << word_log2 : 1000 * level;
    view.dividers[level] = plan::Divider<std::uint32_t>(level == 0 ? row : 2);
  }
  return {view, Lookup::none};
}

template <typename Table>
std::byte* address(const Table& table, const ViewPlace& place, std::uint32_t word) {
  const std::byte* const view = table.at(place.offset);
  return place.small ? reinterpret_cast<const CopyEntry::Small*>(view)->at(word)
                     : reinterpret_cast<const View*>(view)->at_any(place.lookup, word, word_log2);
}

/// Of 1 to 3 tiles.
ViewedCopy copy(int i, int depth) {
  ViewedCopy made;
  made.destination = side(1'000'000 + 10'000 * i, 5, depth);
  made.source = side(2'000'000 + 10'000 * i, 7, 2);
  made.word_log2 = word_log2;
  made.words =
      static_cast<std::uint32_t>(20 + i + i % 3 * words_in_flight(word_log2) * launch_policy.threads);
  return made;
}

template <typename Table>
void expect_holds(const Table& table, const std::vector<ViewedCopy>& copies) {
  ASSERT_EQ(table.entries, std::ssize(copies));
  std::uint32_t tile = 0;
  for (int i = 0; i < table.entries; ++i) {
    const ViewedCopy& expected = copies[static_cast<std::size_t>(i)];
    for (std::uint32_t last = tile + expected.tiles(); tile < last; ++tile) EXPECT_EQ(table.find(tile), i);
    const CopyEntry& entry = table.entry(i);
    EXPECT_EQ(entry.words, expected.words);
    EXPECT_EQ(entry.word_log2, word_log2);
    for (std::uint32_t word = 0; word < expected.words; ++word) {
      EXPECT_EQ(address(table, entry.destination, word),
                expected.destination.view.at_any(expected.destination.lookup, word, word_log2));
      EXPECT_EQ(address(table, entry.source, word),
                expected.source.view.at_any(expected.source.lookup, word, word_log2));
    }
  }
  EXPECT_EQ(table.tiles, tile);
}

TEST(CopyTable, HoldsWhatIsAdded) {
  LongCopies table;
  std::vector<ViewedCopy> copies;
  for (int i = 0; i < 40; ++i) {
    copies.push_back(copy(i, i % 5 == 4 ? 6 : 3));
    ASSERT_TRUE(table.add(copies.back()));
    EXPECT_EQ(table.regular, i < 4);
  }
  expect_holds(table, copies);
}

TEST(CopyTable, TakesAHaloInTwo) {
  LongCopies table;
  std::vector<ViewedCopy> copies;
  for (int i = 0;; ++i) {
    const ViewedCopy next = copy(i, 3);
    if (!table.add(next)) break;
    copies.push_back(next);
  }
  EXPECT_GE(copies.size(), 104U);
  expect_holds(table, copies);
}

TEST(CopyTable, IsTheSameInLessMemory) {
  LongCopies table;
  std::vector<ViewedCopy> copies;
  for (int i = 0;; ++i) {
    LongCopies more = table;
    ASSERT_TRUE(more.add(copy(i, i % 5 == 4 ? 6 : 3)));
    if (more.used() > ShortCopies::room) break;
    table = more;
    copies.push_back(copy(i, i % 5 == 4 ? 6 : 3));
  }
  ASSERT_GT(copies.size(), 5U);
  const auto moved = table.moved<ShortCopies>();
  EXPECT_FALSE(moved.regular);
  expect_holds(moved, copies);
}

TEST(CopyTable, LeavesOutWhatIsRemoved) {
  LongCopies table;
  std::vector<ViewedCopy> copies{copy(0, 2), copy(1, 2), copy(2, 2)};
  for (const ViewedCopy& one : copies) ASSERT_TRUE(table.add(one));
  const LongCopies before = table;
  table.remove(1);
  EXPECT_EQ(table.entry(1).words, 0U);
  for (std::uint32_t tile = 0; tile < table.tiles; ++tile) EXPECT_EQ(table.find(tile), before.find(tile));
  for (const int i : {0, 2}) {
    const CopyEntry& entry = table.entry(i);
    EXPECT_EQ(entry.words, copies[static_cast<std::size_t>(i)].words);
    EXPECT_EQ(address(table, entry.destination, 3), address(before, before.entry(i).destination, 3));
    EXPECT_EQ(address(table, entry.source, 3), address(before, before.entry(i).source, 3));
  }
}

}  // namespace
}  // namespace typewarp::gpu
