// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "floor.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace typewarp::halo_bench {
namespace {

// 8 cells and a halo of 8: rows of 24 doubles are three segments, of which the middle one is owned.
constexpr Case which{"example", 8, 3, 8};
constexpr double sent = 3 * 64 * 8 * 8;                   // all that is owned
constexpr double received = 3 * 64 * (24 * 24 * 3 - 64);  // all else
constexpr std::int64_t packed = 3 * 8 * (24 * 24 * 24 - 512);

TEST(Floor, CountsEverySegmentOnce) {
  const Floors floors = floors_of(which, packed, 1000, {.copy = 10, .peer = 1e9, .launch_us = 5});
  EXPECT_DOUBLE_EQ(floors.pack, (sent + packed) / 10 + 5);
  EXPECT_DOUBLE_EQ(floors.unpack, (received + packed) / 10 + 5);
  EXPECT_DOUBLE_EQ(floors.exchange, (sent + received) / 10 + 5);
}

TEST(Floor, OfAnExchangeIsTheLinkWhereThatIsSlower) {
  const Floors floors = floors_of(which, packed, 1000, {.copy = 1e9, .peer = 2, .launch_us = 5});
  EXPECT_DOUBLE_EQ(floors.wire, 500);
  EXPECT_DOUBLE_EQ(floors.exchange, 505);
}

TEST(Floor, OfRanksThatShareADeviceIsThatOfAllTheirBytes) {
  const Limits limits = shared({.copy = 10, .peer = 4, .launch_us = 5}, 2);
  const Floors floors = floors_of(which, packed, 1000, limits);
  EXPECT_DOUBLE_EQ(floors.pack, 2 * (sent + packed) / 10 + 5);
  EXPECT_DOUBLE_EQ(floors.wire, 2 * 1000 / 4.0);
  EXPECT_DOUBLE_EQ(floors.unpack, 2 * (received + packed) / 10 + 5);
  EXPECT_DOUBLE_EQ(floors.exchange, 2 * (sent + received) / 10 + 5);
}

/// Sector by sector.
std::int64_t counted(std::int64_t edge, std::int64_t width) {
  const std::int64_t length = edge + 2 * width;
  const auto is_owned = [&](std::int64_t cell) {
    for (int d = 0; d < 3; ++d, cell /= length) {
      if (cell % length < width || cell % length >= width + edge) return false;
    }
    return true;
  };
  std::int64_t count = 0;
  for (std::int64_t first = 0; first < length * length * length; first += 4) {
    int owned = 0;
    int others = 0;
    for (std::int64_t cell = first; cell < std::min(first + 4, length * length * length); ++cell) {
      is_owned(cell) ? ++owned : ++others;
    }
    count += owned > 0 && others > 0 ? 1 : 0;
  }
  return count;
}

TEST(PartialSectors, HoldOwnedCellsAndOthers) {
  for (const std::int64_t edge : {1, 2, 4, 6, 7, 12}) {
    for (const std::int64_t width : {1, 2, 3, 4}) {
      EXPECT_EQ(partial_sectors({"example", edge, 2, width}), 2 * counted(edge, width))
          << edge << " " << width;
    }
  }
}

TEST(Floor, CountsTheLaunchOfACopyOnce) { EXPECT_DOUBLE_EQ(rate_of(1000, 15, 5), 100); }

}  // namespace
}  // namespace typewarp::halo_bench
