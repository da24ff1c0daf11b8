// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/locate.hpp"

#include "support/environment.hpp"
#include "support/random_type.hpp"
#include "support/type_map.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace typewarp::plan {
namespace {

const std::uint64_t seeds = test::at_most_types(3000);

TEST(Locate, FindsEveryByteOfRandomTypes) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Datatype type = test::random_type(seed, {.depth = 5, .max_size = 1024, .overlap = seed % 3 == 0});
    const Layout layout = normalise(type);
    if (layout.size() == 0) continue;
    const Encoding encoding = encode(*layout.root);
    const std::vector<std::int64_t> expected = test::byte_map(type, 3);
    for (std::size_t packed = 0; packed < expected.size(); ++packed) {
      const Location found = locate(encoding.view(), type.extent(), static_cast<std::int64_t>(packed));
      ASSERT_EQ(layout.offset + found.offset, expected[packed])
          << "seed " << seed << ", packed byte " << packed << "\n"
          << type << layout.to_string();
      ASSERT_GE(found.run, 1);
      ASSERT_LE(packed + static_cast<std::size_t>(found.run), expected.size());
      for (std::int64_t i = 0; i < found.run; ++i) {
        ASSERT_EQ(expected[packed + static_cast<std::size_t>(i)], expected[packed] + i) << "seed " << seed;
      }
    }
  }
}

TEST(Locate, FindsEveryByteOfLongLists) {
  std::mt19937_64 random(11);
  for (const std::int64_t blocks : {63, 64, 500, 4000}) {
    std::vector<std::int64_t> lengths;
    std::vector<std::int64_t> displacements;
    std::vector<Datatype> members;
    for (std::int64_t i = 0; i < blocks; ++i) {
      // Now and then a block that many entries of the index point to.
      lengths.push_back(random() % 50 == 0 ? 1000 : 1 + static_cast<std::int64_t>(random() % 7));
      displacements.push_back(i * 30000 + static_cast<std::int64_t>(random() % 100));
      members.push_back(vector(2 + static_cast<std::int64_t>(random() % 9), 1, 2 + i % 2, Named::short_));
    }
    const std::vector<std::int64_t> ones(members.size(), 1);
    for (const Datatype& type : {hindexed(lengths, displacements, Named::byte),
                                 hindexed(lengths, displacements, vector(12, 1, 2, Named::byte)),
                                 structure(ones, displacements, members)}) {
      const Layout layout = normalise(type);
      const Encoding encoding = encode(*layout.root);
      ASSERT_NE(encoding.nodes[0].prefix, 0) << layout.to_string();
      const std::vector<std::int64_t> expected = test::byte_map(type, 2);
      for (std::size_t packed = 0; packed < expected.size(); ++packed) {
        const Location found = locate(encoding.view(), type.extent(), static_cast<std::int64_t>(packed));
        ASSERT_EQ(layout.offset + found.offset, expected[packed]) << blocks << " blocks, byte " << packed;
      }
    }
  }
}

TEST(Locate, ReachesBeyondFourGiB) {
  constexpr std::int64_t gib = std::int64_t{1} << 30;
  const Layout strided = normalise(hvector(3 * gib, 1, 5 * gib / 2, Named::double_));
  const Encoding one = encode(*strided.root);
  const std::int64_t last = 3 * gib - 1;
  const Location far = locate(one.view(), 0, last * 8 + 5);
  EXPECT_EQ(far.offset, last * (5 * gib / 2) + 5);
  EXPECT_EQ(far.run, 3);

  const Layout listed = normalise(hindexed({1, 2, 1}, {-9 * gib, 7 * gib, 3}, Named::double_));
  const Encoding wide = encode(*listed.root);
  EXPECT_EQ(wide.nodes[0].width, 8);
  EXPECT_EQ(locate(wide.view(), 0, 8).offset, 16 * gib);
  EXPECT_EQ(locate(wide.view(), 0, 31).offset, 9 * gib + 3 + 7);
}

TEST(Locate, CountsItemsByTheExtent) {
  const Layout layout = normalise(vector(2, 1, 3, Named::int_));
  const Encoding encoding = encode(*layout.root);
  EXPECT_EQ(locate(encoding.view(), 100, 8 * 7 + 5).offset, 700 + 12 + 1);
  EXPECT_EQ(locate(encoding.view(), -100, 8 * 7 + 5).offset, -700 + 12 + 1);
}

}  // namespace
}  // namespace typewarp::plan
