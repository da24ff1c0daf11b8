// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/plain_loops.hpp"

#include "support/random_type.hpp"
#include "support/type_map.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace typewarp::cli {
namespace {

/// Against the type map, on random types: what the library is compared with must do the same.
TEST(PlainLoops, MoveTheBytesOfTheTypeMap) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Datatype type = test::random_type(seed);
    const std::vector<std::int64_t> places = test::byte_map(type);
    if (places.empty()) continue;
    const Layout layout = normalise(type);
    const std::int64_t begin = std::ranges::min(places);
    const auto span = static_cast<std::size_t>(std::ranges::max(places) + 1 - begin);
    std::vector<std::byte> user(span), back(span), expected(span);
    for (std::size_t i = 0; i < span; ++i) user[i] = static_cast<std::byte>(i % 251 + 1);
    std::vector<std::byte> packed(places.size());
    pack_by_loops(layout, user.data() - begin, packed.data());
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto at = static_cast<std::size_t>(places[i] - begin);
      ASSERT_EQ(packed[i], user[at]) << "seed " << seed << ", byte " << i;
      expected[at] = user[at];
    }
    unpack_by_loops(layout, packed.data(), back.data() - begin);
    ASSERT_EQ(back, expected) << "seed " << seed;
  }
}

}  // namespace
}  // namespace typewarp::cli
