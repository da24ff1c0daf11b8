// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/layout.hpp>

#include "support/random_type.hpp"
#include "support/type_map.hpp"

#include <gtest/gtest.h>

#include <set>

namespace typewarp {
namespace {

/// Byte by byte from the type map, knowing nothing of layouts.
std::int64_t counted_by_bytes(const Datatype& type, std::int64_t count, std::int64_t address) {
  std::set<std::int64_t> touched;
  for (const std::int64_t displacement : test::byte_map(type, count)) {
    const std::int64_t byte = address + displacement;
    touched.insert((byte - (byte % segment_bytes + segment_bytes) % segment_bytes) / segment_bytes);
  }
  return static_cast<std::int64_t>(touched.size());
}

void expect_counts(const Datatype& type, std::int64_t count = 1) {
  const Layout layout = normalise(type, count);
  for (const std::int64_t address : {0, 1, 63, 4096 + 24}) {
    ASSERT_EQ(touched_segments(layout, address), counted_by_bytes(type, count, address))
        << "at " << address << " of " << layout.to_string();
  }
}

TEST(Segments, NothingTouchesNone) { EXPECT_EQ(touched_segments(Layout(), 7), 0); }

TEST(Segments, RunsRoundOutToSegments) {
  EXPECT_EQ(touched_segments(normalise(contiguous(64, Named::byte)), 0), 1);
  EXPECT_EQ(touched_segments(normalise(contiguous(64, Named::byte)), 1), 2);
  EXPECT_EQ(touched_segments(normalise(contiguous(2, Named::byte)), 63), 2);
}

TEST(Segments, NeighboursShareASegment) {
  EXPECT_EQ(touched_segments(normalise(hvector(8, 1, 16, Named::double_)), 0), 2);
  EXPECT_EQ(touched_segments(normalise(hvector(8, 1, 512, Named::double_)), 0), 8);
}

TEST(Segments, EveryPhaseOfAStride) {
  for (const std::int64_t stride : {-200, -72, -8, 1, 3, 8, 24, 40, 63, 64, 65, 96, 130}) {
    expect_counts(hvector(150, 1, stride, contiguous(7, Named::byte)));
  }
}

TEST(Segments, RandomTypes) {
  test::RandomTypeOptions options;
  options.overlap = true;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    expect_counts(test::random_type(seed, options), 1 + static_cast<std::int64_t>(seed % 3));
  }
}

/// Counting run by run would take minutes.
TEST(Segments, LargeRegularLayoutsTakeNoTime) {
  const std::int64_t n = std::int64_t{1} << 32;
  EXPECT_EQ(touched_segments(normalise(hvector(n, 1, 64, Named::double_)), 0), n);
  EXPECT_EQ(touched_segments(normalise(hvector(n, 1, 24, Named::double_)), 0), n * 3 / 8);
}

}  // namespace
}  // namespace typewarp
