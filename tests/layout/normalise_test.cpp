// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/layout.hpp>

#include "support/environment.hpp"
#include "support/expect_invalid.hpp"
#include "layout/layout_bytes.hpp"
#include "support/random_type.hpp"
#include "support/type_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace typewarp {
namespace {

const std::uint64_t seeds = test::at_most_types(6000);

Datatype random_type(std::uint64_t seed) {
  return test::random_type(seed, {.depth = 5, .max_size = 2048, .overlap = seed % 3 == 0});
}

TEST(Normalise, KeepsTheTypeMapOfRandomTypes) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Datatype type = random_type(seed);
    for (std::int64_t count = 0; count <= 3; ++count) {
      const Layout layout = normalise(type, count);
      const std::vector<std::int64_t> expected = test::byte_map(type, count);
      ASSERT_EQ(test::layout_bytes(layout), expected) << "seed " << seed << ", count " << count << "\n"
                                                      << type << layout.to_string();
      ASSERT_EQ(layout.size(), static_cast<std::int64_t>(expected.size()));
      if (expected.empty()) continue;
      const auto [low, high] = std::ranges::minmax(expected);
      EXPECT_EQ(layout.offset, expected.front());
      EXPECT_EQ(layout.offset + layout.root->true_lb, low) << "seed " << seed;
      EXPECT_EQ(layout.offset + layout.root->true_ub, high + 1) << "seed " << seed;
    }
  }
}

TEST(Normalise, IsIdempotentOnRandomTypes) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Datatype type = random_type(seed);
    for (std::int64_t count = 1; count <= 2; ++count) {
      const Layout once = normalise(type, count);
      const Layout twice = normalise(once);
      ASSERT_EQ(twice, once) << "seed " << seed << "\n"
                             << type << once.to_string() << "\n"
                             << twice.to_string();
    }
  }
}

TEST(Normalise, DoesNotSeeHowATypeIsWrapped) {
  for (std::uint64_t seed = 1; seed <= seeds / 4; ++seed) {
    const Datatype type = random_type(seed);
    const Layout expected = normalise(type, 3);
    const Datatype sized = resized(type, type.lb() - 5, type.extent());
    for (const Datatype& wrapped :
         {contiguous(3, type), contiguous(1, contiguous(3, dup(type))), contiguous(3, sized),
          hvector(3, 1, type.extent(), type), indexed_block(1, {0, 1, 2}, type),
          structure({1, 0, 2}, {0, 1000, type.extent()}, {type, Named::double_, type})}) {
      ASSERT_EQ(normalise(wrapped), expected) << "seed " << seed << "\n" << wrapped;
    }
  }
}

TEST(Normalise, KeepsTheOrderOfATransposedMatrix) {
  const Datatype column = resized(vector(3, 1, 4, Named::double_), 0, 8);
  EXPECT_EQ(normalise(contiguous(4, column)).to_string(),
            "repeat 4 x stride 8 of repeat 3 x stride 32 of run 8");
}

TEST(Normalise, RejectsTheNullDatatypeAndBadCounts) {
  test::expect_invalid([] { normalise(Datatype()); },
                       "normalise: datatype = null: must not be the null datatype");
  test::expect_invalid([] { normalise(Named::int_, -2); }, "normalise: count = -2: must not be negative");
  EXPECT_THROW(normalise(Named::int_, std::numeric_limits<std::int64_t>::max()), InvalidArgument);
  // The size and the places of the items fit 64 bits, the last byte does not.
  const std::int64_t far = std::int64_t{1} << 62;
  EXPECT_THROW(normalise(resized(hindexed({1, 1}, {0, far}, Named::int_), 0, far), 2), InvalidArgument);
}

TEST(Normalise, ReachesBeyondFourGiB) {
  constexpr std::int64_t gib = std::int64_t{1} << 30;
  EXPECT_EQ(normalise(hvector(3, 2, 5 * gib, Named::double_)).to_string(),
            "repeat 3 x stride 5368709120 of run 16");
  EXPECT_EQ(normalise(contiguous(6 * gib, Named::double_)).size(), 48 * gib);
}

TEST(Normalise, FoldsALongIndexedList) {
  std::vector<std::int64_t> displacements;
  for (std::int64_t z = 0; z < 100; ++z) {
    for (std::int64_t y = 0; y < 100; ++y) displacements.push_back(z * 5000 + y * 7);
  }
  EXPECT_EQ(normalise(indexed_block(2, displacements, Named::float_)).to_string(),
            "repeat 100 x stride 20000 of repeat 100 x stride 28 of run 8");
}

TEST(Normalise, GivesBackTheSpaceOfBlocksThatMerged) {
  std::vector<std::int64_t> displacements;
  for (std::int64_t i = 0; i < 1000; ++i) displacements.push_back(i + i / 600 * i);
  const Layout layout = normalise(indexed_block(1, displacements, Named::int_));
  const auto& blocks = std::get<layout::Blocks>(layout.root->shape);
  ASSERT_LT(blocks.displacements.size(), 500U);
  EXPECT_LT(blocks.displacements.capacity(), 2 * blocks.displacements.size());
}

}  // namespace
}  // namespace typewarp
