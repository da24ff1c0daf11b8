// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hacc/block.hpp"

#include "hacc/carrier/datatype.hpp"
#include "hacc/generate.hpp"
#include "support/type_map.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace hacc {
namespace {

Block small_block() { return generate(7, 300, {2, 1, 1}, 1); }

TEST(Block, HasArraysOfTheLengthsThatItsHeaderCounts) {
  const Block block(typewarp::MemoryKind::host, {2, 3, 5, 7, 11, 13, 17, {}, {}});
  const std::vector<std::int64_t> expected{52, 4 * 6, 4 * 51, 4 * 7, 4 * 7, 4 * 5, 4 * 13, 4 * 7, 4 * 11};
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(block.members()[i].bytes, expected[i]) << i;
    sum += expected[i];
  }
  EXPECT_EQ(block.bytes(), sum);
}

TEST(Block, EqualNoticesEveryMember) {
  const Block block = small_block();
  const apps::OwnedStream none(false);
  for (std::size_t i = 0; i < block.members().size(); ++i) {
    const Block other = copied(block, typewarp::MemoryKind::host, none);
    ASSERT_TRUE(equal(block, other));
    const Member& member = other.members()[i];
    ASSERT_GT(member.bytes, 0);
    member.data[member.bytes - 1] ^= std::byte{1};
    EXPECT_FALSE(equal(block, other)) << i;
  }
}

TEST(Block, EqualNoticesALength) {
  const Block block = small_block();
  Header longer = block.header();
  ++longer.num_face_verts;
  EXPECT_FALSE(equal(block, Block(typewarp::MemoryKind::host, longer)));
}

TEST(Block, DatatypeIsItsMembersAtTheirAddresses) {
  const Block block = small_block();
  std::vector<std::int64_t> expected;
  for (const Member& member : block.members()) {
    for (std::int64_t i = 0; i < member.bytes; ++i) {
      expected.push_back(reinterpret_cast<std::int64_t>(member.data) + i);
    }
  }
  EXPECT_EQ(typewarp::test::byte_map(datatype_of(block)), expected);
}

}  // namespace
}  // namespace hacc
