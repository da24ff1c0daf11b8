// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/encoding.hpp"

#include "plan/locate.hpp"
#include "support/environment.hpp"
#include "support/nested_types.hpp"
#include "support/random_type.hpp"
#include "support/type_map.hpp"

#include <gtest/gtest.h>

namespace typewarp::plan {
namespace {

Encoding encoded(const Datatype& type) { return encode(*normalise(type).root); }

/// `blocks` irregular blocks of 1 to 7 doubles.
Datatype varying_list(std::int64_t blocks) {
  std::vector<std::int64_t> lengths;
  std::vector<std::int64_t> displacements;
  for (std::int64_t i = 0; i < blocks; ++i) {
    lengths.push_back(1 + i * i % 7);
    displacements.push_back(i * 20 + i * i % 11);
  }
  return indexed(lengths, displacements, Named::double_);
}

TEST(Encoding, SpendsEightAndAHalfBytesABlockOnVaryingLists) {
  for (std::int64_t blocks = 64; blocks < 3000; blocks += 1 + blocks / 7) {
    const Encoding encoding = encoded(varying_list(blocks));
    ASSERT_EQ(encoding.nodes[0].kind, Kind::varying);
    EXPECT_EQ(encoding.nodes[0].count, blocks);
    EXPECT_EQ(encoding.nodes[0].width, 4);
    EXPECT_LE(2 * encoding.lookaside.size(), 17 * static_cast<std::size_t>(blocks)) << blocks << " blocks";
  }
}

TEST(Encoding, SpendsFourBytesABlockOnEqualBlocks) {
  std::vector<std::int64_t> displacements;
  for (std::int64_t i = 0; i < 1000; ++i) displacements.push_back(i * 20 + i * i % 11);
  const Encoding equal = encoded(indexed_block(1, displacements, Named::double_));
  ASSERT_EQ(equal.nodes[0].kind, Kind::blocks);
  EXPECT_LE(equal.lookaside.size(), 4 * 1000U + 8U);
}

/// The definition of the index, and that few blocks lie between its entries.
void check_index(const Encoding& encoding) {
  const EncodedNode& node = encoding.nodes[0];
  const std::byte* lookaside = encoding.lookaside.data();
  ASSERT_GT(node.index.shift, 0);
  const std::int64_t entries = ((node.size - 1) >> node.index.shift) + 2;
  EXPECT_LE(entries, node.count / 8);
  EXPECT_GE(entries, node.count / 16 - 2);
  std::int64_t block = 0;
  for (std::int64_t g = 0; g < entries; ++g) {
    const std::int64_t byte = g << node.index.shift;
    while (block + 1 < node.count && entry(lookaside + node.prefix, node.width, block + 1) <= byte) ++block;
    ASSERT_EQ(entry(lookaside + node.index.entries, node.width, g), block)
        << "entry " << g << " of " << entries;
  }
  EXPECT_EQ(block, node.count - 1);
}

TEST(Encoding, IndexesLongLists) {
  EXPECT_EQ(encoded(varying_list(63)).nodes[0].index.shift, 0);
  for (const std::int64_t blocks : {64, 65, 100, 1000, 12345}) check_index(encoded(varying_list(blocks)));
  // One block of almost all the bytes, first, in the middle, and last; offsets of 32 and of 64 bits.
  for (const std::int64_t large : {std::int64_t{1} << 20, std::int64_t{1} << 40}) {
    for (const std::size_t place : {0U, 150U, 299U}) {
      std::vector<std::int64_t> lengths(300, 1);
      std::vector<std::int64_t> displacements;
      for (std::int64_t i = 0; i < 300; ++i) displacements.push_back(i * (2 * large) + i * i % 11);
      lengths[place] = large;
      check_index(encoded(hindexed(lengths, displacements, Named::byte)));
    }
  }
}

TEST(Encoding, IndexesLongSequences) {
  std::vector<std::int64_t> displacements;
  std::vector<Datatype> members;
  for (std::int64_t i = 0; i < 200; ++i) {
    displacements.push_back(i * 1000 + i * i % 11);
    members.push_back(vector(2 + i * i % 13, 1, 2 + i % 3, Named::short_));
  }
  const Encoding encoding = encoded(structure(std::vector<std::int64_t>(200, 1), displacements, members));
  ASSERT_EQ(encoding.nodes[0].kind, Kind::sequence);
  check_index(encoding);
}

TEST(Encoding, WidensListsBeyondThirtyTwoBits) {
  constexpr std::int64_t gib = std::int64_t{1} << 30;
  EXPECT_EQ(encoded(hindexed_block(1, {0, 1 * gib, 5, 17}, Named::int_)).nodes[0].width, 4);
  EXPECT_EQ(encoded(hindexed_block(1, {0, 2 * gib, 5, 17}, Named::int_)).nodes[0].width, 8);
  EXPECT_EQ(encoded(hindexed_block(1, {0, -3 * gib, 5, 17}, Named::int_)).nodes[0].width, 8);
  // Small displacements, but packed positions beyond 32 bits.
  EXPECT_EQ(encoded(hindexed({gib, gib, 1}, {0, 3, 17}, Named::int_)).nodes[0].width, 8);
}

TEST(Encoding, GrainDividesEverything) {
  EXPECT_EQ(encoded(contiguous(64, Named::byte)).grain, 16);
  EXPECT_EQ(encoded(vector(3, 1, 2, Named::double_)).grain, 8);
  EXPECT_EQ(encoded(hvector(3, 2, 36, Named::double_)).grain, 4);
  EXPECT_EQ(encoded(indexed({1, 2, 1}, {0, 4, 9}, Named::double_)).grain, 8);
  EXPECT_EQ(encoded(hindexed({1, 2, 1}, {0, 18, 40}, Named::double_)).grain, 2);
  EXPECT_EQ(encoded(structure({1, 1}, {0, 8}, {Named::char_, Named::double_})).grain, 1);
  for (std::uint64_t seed = 1; seed <= test::at_most_types(2000); ++seed) {
    const Datatype type = test::random_type(seed);
    const Layout layout = normalise(type);
    const std::int64_t grain = encode(*layout.root).grain;
    // From the first byte on, every grain-sized piece of the stream is consecutive and aligned.
    const std::vector<std::int64_t> map = test::byte_map(type);
    for (std::size_t packed = 0; packed < map.size(); packed += static_cast<std::size_t>(grain)) {
      ASSERT_EQ((map[packed] - layout.offset) % grain, 0) << "seed " << seed << "\n" << type;
      for (std::int64_t i = 0; i < grain; ++i) {
        ASSERT_EQ(map.at(packed + static_cast<std::size_t>(i)), map[packed] + i) << "seed " << seed;
      }
    }
  }
}

TEST(Encoding, HasMembersOfLargeSharedTypesOnce) {
  for (const test::SharedType& shared : test::shared_types()) {
    const Layout layout = normalise(test::shared_type(shared, 30));
    const Encoding encoding = encode(*layout.root);
    EXPECT_LT(encoding.nodes.size(), 100'000U) << shared.name;
    EXPECT_LT(encoding.lookaside.size(), std::size_t{4} << 20) << shared.name;
    EXPECT_EQ(encoding.nodes[0].size, layout.size()) << shared.name;
  }
}

TEST(Encoding, FindsEveryByteOfASharedType) {
  const Datatype type = test::shared_type(test::shared_types().front(), 17);
  const Layout layout = normalise(type);
  const Encoding encoding = encode(*layout.root);
  EXPECT_TRUE(encoding.shared);
  const std::vector<std::int64_t> expected = test::byte_map(type);
  for (std::size_t packed = 0; packed < expected.size(); ++packed) {
    const Location found = locate(encoding.view(), type.extent(), static_cast<std::int64_t>(packed));
    ASSERT_EQ(layout.offset + found.offset, expected[packed]) << packed;
  }
}

}  // namespace
}  // namespace typewarp::plan
