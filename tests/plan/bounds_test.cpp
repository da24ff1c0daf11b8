// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/bounds.hpp"

#include "support/random_type.hpp"
#include "support/type_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

namespace typewarp::plan {
namespace {

TEST(Bounds, HoldAllBytesOfRandomTypes) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Datatype type = test::random_type(seed, {.max_size = 512});
    for (const std::int64_t count : {1, 3}) {
      const std::vector<std::int64_t> places = test::byte_map(type, count);
      const std::optional<Bounds> found = bounds(commit(type), count);
      ASSERT_EQ(found.has_value(), !places.empty());
      if (!found) continue;
      EXPECT_EQ(found->lowest, std::ranges::min(places)) << type;
      EXPECT_EQ(found->end, std::ranges::max(places) + 1) << type;
    }
  }
}

TEST(Word, CutsAllRunsOfRandomTypes) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Datatype type = test::random_type(seed, {.max_size = 512});
    for (const std::int64_t count : {1, 3}) {
      const std::vector<std::int64_t> places = test::byte_map(type, count);
      const auto bytes = static_cast<std::size_t>(word(commit(type), count));
      ASSERT_TRUE(bytes <= 16 && std::has_single_bit(bytes)) << type;
      ASSERT_EQ(places.size() % bytes, 0U) << type;
      for (std::size_t i = 0; i < places.size(); ++i) {
        const std::size_t begin = i / bytes * bytes;
        EXPECT_EQ((places[begin] - places[0]) % static_cast<std::int64_t>(bytes), 0) << type;
        EXPECT_EQ(places[i] - places[begin], static_cast<std::int64_t>(i - begin)) << type;
      }
    }
  }
  EXPECT_EQ(word(commit(resized(contiguous(17, Named::byte), 0, 24)), 2), 1);
  EXPECT_EQ(word(commit(resized(contiguous(3, Named::float_), 0, 16)), 2), 4);
  EXPECT_EQ(word(commit(Named::double_), 1), 8);
  EXPECT_EQ(word(commit(Named::double_), 1, 12), 4);
}

TEST(Bounds, OfNothingOrTooFarApartAreNone) {
  EXPECT_FALSE(bounds(commit(Named::int_), 0));
  EXPECT_FALSE(bounds(commit(contiguous(0, Named::int_)), 5));
  EXPECT_FALSE(bounds(commit(resized(Named::byte, 0, 1 << 20)), std::int64_t{1} << 45));
  EXPECT_FALSE(bounds(commit(resized(Named::byte, 0, -(1 << 20))), std::int64_t{1} << 45));
  EXPECT_EQ(bounds(commit(resized(Named::byte, 0, -8)), 3)->lowest, -16);
}

}  // namespace
}  // namespace typewarp::plan
