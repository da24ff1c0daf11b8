// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/schedule.hpp"

#include <gtest/gtest.h>

namespace typewarp::schedule {
namespace {

constexpr int here = 5;

Part part(int peer, std::int64_t bytes) { return {nullptr, bytes, commit(Named::byte), peer, 0, bytes, {}}; }

std::vector<std::int64_t> begins(const PackedLayout& layout) {
  std::vector<std::int64_t> begins;
  for (const PeerMessage& message : layout.messages) begins.push_back(message.begin);
  return begins;
}

class SchedulePackedLayout : public testing::Test {
 protected:
  /// The parts of rank 2 are not side by side, two stay here, and rank 7 gets nothing.
  const std::vector<Part> parts_{part(2, 8), part(here, 24), part(2, 5), part(9, 70),
                                 part(7, 0), part(here, 4),  part(2, 1)};
};

TEST_F(SchedulePackedLayout, PartsOfAPeerAreOneMessageWithoutGaps) {
  const PackedLayout layout(parts_, here);
  ASSERT_EQ(layout.messages.size(), 2U);
  EXPECT_EQ(layout.messages[0].peer, 2);
  EXPECT_EQ(layout.messages[0].parts, (std::vector<std::size_t>{0, 2, 6}));
  EXPECT_EQ(layout.messages[0].bytes, 14);
  EXPECT_EQ(layout.messages[1].peer, 9);
  EXPECT_EQ(layout.messages[1].bytes, 70);
  EXPECT_EQ(layout.places[0], 0);
  EXPECT_EQ(layout.places[2], 8);
  EXPECT_EQ(layout.places[6], 13);
}

TEST_F(SchedulePackedLayout, MessagesShareNoCacheLine) {
  EXPECT_EQ(begins(PackedLayout(parts_, here)), (std::vector<std::int64_t>{0, 64}));
  const PackedLayout behind(parts_, here, 192);
  EXPECT_EQ(begins(behind), (std::vector<std::int64_t>{192, 256}));
  EXPECT_EQ(behind.places[3], 256);
  EXPECT_EQ(behind.end, 192 + 64 + 128);
}

TEST_F(SchedulePackedLayout, WhatStaysLiesApart) {
  const PackedLayout layout(parts_, here, 1000);
  EXPECT_EQ(layout.places[1], 0);
  EXPECT_EQ(layout.places[5], 24);
  EXPECT_EQ(layout.own_end, 64);
}

TEST(Schedule, PeersAreTheOtherRanks) {
  const Schedule schedule{{part(2, 1), part(here, 1), part(2, 3)}, {part(9, 1), part(2, 4)}, here};
  EXPECT_EQ(schedule.peers(), (std::vector{2, 9}));
}

}  // namespace
}  // namespace typewarp::schedule
