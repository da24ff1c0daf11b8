// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace typewarp::bench {
namespace {

constexpr std::int64_t interior = 6;
constexpr std::int64_t width = 2;
constexpr std::int64_t edge = interior + 2 * width;

std::int64_t bytes(const std::vector<Datatype>& regions) {
  return std::accumulate(regions.begin(), regions.end(), std::int64_t{0},
                         [](std::int64_t sum, const Datatype& region) { return sum + region.size(); });
}

TEST(Halo, ReceivesEveryCellAroundTheInteriorOnce) {
  const std::vector<Datatype> received = halo_regions(interior, width, HaloSide::received);
  EXPECT_EQ(received.size(), 26);
  EXPECT_EQ(bytes(received), 8 * (edge * edge * edge - interior * interior * interior));
}

TEST(Halo, SendsAsMuchInEachDirectionFromTheInterior) {
  const std::vector<Datatype> sent = halo_regions(interior, width, HaloSide::sent);
  const std::vector<Datatype> received = halo_regions(interior, width, HaloSide::received);
  const std::int64_t corner = 8 * width * (edge * edge + edge + 1);
  ASSERT_EQ(sent.size(), received.size());
  for (std::size_t i = 0; i < sent.size(); ++i) {
    EXPECT_EQ(sent[i].size(), received[i].size()) << i;
    EXPECT_GE(sent[i].true_lb(), corner) << i;
    EXPECT_LE(sent[i].true_ub(), 8 * edge * edge * edge - corner) << i;
  }
  EXPECT_EQ(received.front().true_lb(), 0);
  EXPECT_EQ(received.back().true_ub(), 8 * edge * edge * edge);
}

TEST(Halo, OfFieldsIsThatOfOneAfterTheOther) {
  const std::vector<Datatype> regions = halo_regions(interior, width, HaloSide::sent);
  const Datatype all = halo_of_fields(regions, 3, 10000);
  EXPECT_EQ(all.size(), 3 * bytes(regions));
  EXPECT_EQ(all.true_lb(), regions.front().true_lb());
  EXPECT_EQ(all.true_ub(), 20000 + regions.back().true_ub());
}

}  // namespace
}  // namespace typewarp::bench
