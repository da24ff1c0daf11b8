// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/job/choice_logs.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace typewarp::interpose {
namespace {

class ChoiceLogsTest : public ::testing::Test {
 protected:
  static constexpr std::size_t ranks = 2;
  std::shared_ptr<ChoiceLogs::Word[]> memory_{new ChoiceLogs::Word[ChoiceLogs::words(ranks)]()};
  ChoiceLogs logs_{memory_, ranks};
};

TEST_F(ChoiceLogsTest, ALogIsTakenAgainWhenAllHaveGivenItBack) {
  std::vector<int> taken;
  for (int number = logs_.take(ranks); number != ChoiceLogs::none; number = logs_.take(ranks)) {
    EXPECT_NE(number, ChoiceLogs::of_world);
    taken.push_back(number);
  }
  ASSERT_EQ(taken.size(), ChoiceLogs::most - 1);
  const int given_back = taken[100];
  ChoiceLog used = logs_.log(given_back);
  for (std::size_t rank = 0; rank < ranks; ++rank) used.join(rank, 0);
  EXPECT_TRUE(used.is_ours(0, 0, true));
  logs_.give_back(given_back);
  EXPECT_EQ(logs_.take(ranks), ChoiceLogs::none);
  logs_.give_back(given_back);
  ASSERT_EQ(logs_.take(1), given_back);
  ChoiceLog anew = logs_.log(given_back);
  EXPECT_FALSE(anew.is_ours(0, 0, true)) << "nobody has joined";
  anew.join(0, 1);
  EXPECT_TRUE(anew.is_ours(0, 1, true));
  EXPECT_EQ(logs_.take(ranks), ChoiceLogs::none);
}

TEST_F(ChoiceLogsTest, RanksOfTheJobThatAreNotOfTheCommunicatorDoNotHoldItBack) {
  ChoiceLog log = logs_.log(logs_.take(1));
  log.join(0, 0);
  for (std::uint64_t call = 0; call < 4 * ChoiceLog::kept; ++call) {
    const bool wanted = call % 2 == 0;
    ASSERT_EQ(log.is_ours(0, call, wanted), wanted) << call;
  }
}

TEST_F(ChoiceLogsTest, LogsAreApart) {
  ChoiceLog world = logs_.log(ChoiceLogs::of_world);
  ChoiceLog other = logs_.log(logs_.take(ranks));
  for (std::size_t rank = 0; rank < ranks; ++rank) other.join(rank, 0);
  EXPECT_TRUE(world.is_ours(1, 0, true));
  EXPECT_FALSE(other.is_ours(1, 0, false));
  EXPECT_TRUE(world.is_ours(0, 0, false));
  EXPECT_FALSE(other.is_ours(0, 0, true));
}

}  // namespace
}  // namespace typewarp::interpose
