// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "places.hpp"

#include "support/random_type.hpp"
#include "support/type_map.hpp"

#include <gtest/gtest.h>

namespace typewarp::bench {
namespace {

void expect_type_map(const Datatype& type, std::int64_t count = 1) {
  const Layout layout = normalise(type, count);
  if (layout.size() == 0) return;
  const Places places(layout);
  std::vector<std::int64_t> found;
  for (std::int64_t byte = 0; byte < layout.size(); ++byte) found.push_back(places.view()(byte));
  ASSERT_EQ(found, test::byte_map(type, count)) << layout.to_string();
}

TEST(Places, RandomTypes) {
  test::RandomTypeOptions options;
  options.overlap = true;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    expect_type_map(test::random_type(seed, options), 1 + static_cast<std::int64_t>(seed % 3));
  }
}

}  // namespace
}  // namespace typewarp::bench
