// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// The table that a kernel of many pieces reads, without a kernel.

#include "engine/device/batch/batch.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace typewarp::gpu {
namespace {

constexpr int word_log2 = 3;

/// Planes, rows and words of a box.
View box(int number) {
  View view;
  view.base = reinterpret_cast<std::byte*>(std::intptr_t{1'000'000} + 100'000 * number);
  view.depth = 3;
  for (int level = 0; level < view.depth; ++level) {
    view.strides[level] = level == 0 ? 1 << word_log2 : 1000 * level + 8 * number;
    view.dividers[level] = plan::Divider<std::uint32_t>(3 + static_cast<std::uint32_t>(level));
  }
  return view;
}

/// How many pieces it takes.
template <typename Table>
int fill(Table& table) {
  int count = 0;
  for (;; ++count) {
    const BatchEntry entry{
        reinterpret_cast<std::byte*>(std::intptr_t{8} * count), 50, 0, 0, word_log2, false, Lookup::none};
    if (!table.add(entry, box(count), 2)) return count;
  }
}

template <typename Table>
void expect_filled(const Table& table, int count) {
  ASSERT_EQ(table.entries, count);
  EXPECT_EQ(table.tiles, static_cast<std::uint32_t>(2 * count));
  EXPECT_TRUE(table.regular);
  for (int i = 0; i < count; ++i) {
    const BatchEntry& entry = table.entry(i);
    EXPECT_EQ(entry.packed, reinterpret_cast<std::byte*>(std::intptr_t{8} * i));
    EXPECT_EQ(entry.first_tile, static_cast<std::uint32_t>(2 * i));
    const auto& view = table.template view<BatchEntry::Small>(entry);
    for (std::uint32_t word = 0; word < entry.words; ++word) {
      EXPECT_EQ(view.at(word), box(i).at_any(Lookup::none, word, word_log2));
    }
  }
}

TEST(CudaBatchTable, HoldsAsManyPiecesAsFit) {
  const auto brief = std::make_unique<ShortBatch>();
  const auto long_one = std::make_unique<LongBatch>();
  const int few = fill(*brief);
  const int many = fill(*long_one);
  EXPECT_LT(few, many);
  expect_filled(*brief, few);
  expect_filled(*long_one, many);
}

// Beyond what 16 bits count in bytes.
TEST(CudaBatchTable, InMemoryOfTheDeviceHoldsAllFieldsAndNeighboursOfTheGcl) {
  const auto table = std::make_unique<PreparedBatch>();
  const int count = fill(*table);
  EXPECT_GE(count, 24 * 26);
  expect_filled(*table, count);
}

}  // namespace
}  // namespace typewarp::gpu
