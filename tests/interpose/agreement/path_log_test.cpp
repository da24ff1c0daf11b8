// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/agreement/path_log.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <thread>
#include <vector>

namespace typewarp::interpose {
namespace {

using Choices = std::vector<bool>;

class PathLogTest : public ::testing::Test {
 protected:
  static constexpr std::size_t ranks = 4;
  static constexpr bool ours = true;
  static constexpr bool the_mpis = false;

  std::vector<PathLog::Word> memory_ = std::vector<PathLog::Word>(PathLog::words(ranks));
  PathLog log_{memory_};
};

TEST_F(PathLogTest, TheFirstRankChooses) {
  EXPECT_TRUE(log_.is_ours(2, 0, ours));
  EXPECT_FALSE(log_.is_ours(2, 1, the_mpis));
  EXPECT_TRUE(log_.is_ours(2, 2, ours));
  for (const std::size_t rank : {0UL, 1UL, 3UL}) {
    EXPECT_TRUE(log_.is_ours(rank, 0, the_mpis));
    EXPECT_FALSE(log_.is_ours(rank, 1, ours));
  }
  EXPECT_TRUE(log_.is_ours(0, 2, the_mpis));
  EXPECT_FALSE(log_.is_ours(0, 3, the_mpis));
  EXPECT_FALSE(log_.is_ours(2, 3, ours));
}

TEST_F(PathLogTest, WhoDoesNotCareChangesNothing) {
  EXPECT_FALSE(log_.is_ours(0, 0, std::nullopt));
  EXPECT_TRUE(log_.is_ours(0, 1, ours));
  EXPECT_TRUE(log_.is_ours(0, 2, std::nullopt));
}

TEST_F(PathLogTest, RanksInStepChangeInEachCall) {
  for (std::uint64_t call = 0; call < 5000; ++call) {
    const bool wanted = call % 2 == 0;
    for (std::size_t k = 0; k < ranks; ++k) {
      const bool is_first = k == 0;
      ASSERT_EQ(log_.is_ours((call + k) % ranks, call, is_first ? wanted : !wanted), wanted) << call;
    }
  }
}

TEST_F(PathLogTest, ARankFarAheadIsFollowed) {
  constexpr std::uint64_t calls = 10000;
  Choices ahead;
  for (std::uint64_t call = 0; call < calls; ++call) ahead.push_back(log_.is_ours(1, call, call % 100 < 50));
  std::size_t changes = 0;
  for (std::size_t call = 1; call < calls; ++call) {
    if (ahead[call] != ahead[call - 1]) ++changes;
  }
  EXPECT_GE(changes + 2, PathLog::kept);
  EXPECT_LT(changes, PathLog::kept);
  for (const std::size_t rank : {0UL, 2UL, 3UL}) {
    for (std::uint64_t call = 0; call < calls; ++call)
      ASSERT_EQ(log_.is_ours(rank, call, !ahead[call]), ahead[call]) << rank << ", " << call;
  }
  EXPECT_EQ(log_.is_ours(1, calls, !ahead.back()), !ahead.back()) << "there is no room though none is behind";
}

TEST_F(PathLogTest, NothingIsOursBeforeAllHaveJoined) {
  log_.begin(ranks);
  log_.join(0, 0);
  EXPECT_FALSE(log_.is_ours(0, 0, ours));
  EXPECT_FALSE(log_.is_ours(0, 1, ours));
  log_.join(1, 5);
  log_.join(2, 1);
  EXPECT_FALSE(log_.is_ours(0, 2, ours));
  log_.join(3, 3);
  EXPECT_FALSE(log_.is_ours(0, 3, ours)) << "rank 1 has made this one without the log";
  EXPECT_FALSE(log_.is_ours(0, 4, ours));
  EXPECT_TRUE(log_.is_ours(1, 5, ours));
  EXPECT_TRUE(log_.is_ours(0, 5, the_mpis));
}

/// How far each of some ranks is.
class Pace {
 public:
  explicit Pace(std::size_t ranks) : calls_(ranks) {}
  /// Waits until nobody is so many calls behind.
  void keep(std::size_t rank, std::uint64_t call, std::uint64_t most_ahead) {
    calls_[rank] = call;
    const auto is_far_behind = [&](std::uint64_t other) { return other + most_ahead < call; };
    while (std::ranges::any_of(calls_, is_far_behind)) std::this_thread::yield();
  }

 private:
  std::vector<std::atomic<std::uint64_t>> calls_;
};

/// One of several at once, each with a mind of its own, which it changes now and then. It joins when it
/// likes.
class Rank {
 public:
  Rank(PathLog log, std::size_t number) : log_(log), number_(number), random_(seed(number)) {}

  void run(std::uint64_t calls, Pace& pace) {
    const std::uint64_t joins_at = random_() % 200;
    bool wanted = number_ % 2 != 0;
    for (std::uint64_t call = 0; call < calls; ++call) {
      // Closer than the log has room for, and farther.
      pace.keep(number_, call, call % 1000 < 500 ? 1 + call % 50 : 200);
      if (call == joins_at) log_.join(number_, call);
      if (random_() % 4 == 0) wanted = !wanted;
      wanted_.push_back(wanted);
      chosen_.push_back(call >= joins_at && log_.is_ours(number_, call, wanted));
    }
  }
  const Choices& wanted() const { return wanted_; }
  const Choices& chosen() const { return chosen_; }

 private:
  static unsigned seed(std::size_t number) { return static_cast<unsigned>(number) + 1; }

  PathLog log_;
  std::size_t number_;
  std::minstd_rand random_;
  Choices wanted_, chosen_;
};

TEST_F(PathLogTest, RanksAtOnceFindTheSame) {
  constexpr std::uint64_t calls = 50000;
  log_.begin(ranks);
  std::vector<Rank> all;
  for (std::size_t number = 0; number < ranks; ++number) all.emplace_back(log_, number);
  Pace pace(ranks);
  {
    std::vector<std::jthread> threads;
    for (Rank& rank : all) threads.emplace_back([&] { rank.run(calls, pace); });
  }
  std::size_t changes = 0;
  for (std::size_t call = 0; call < calls; ++call) {
    const bool chosen = all.front().chosen()[call];
    bool somebody_wanted = false;
    for (const Rank& rank : all) {
      ASSERT_EQ(rank.chosen()[call], chosen) << call;
      somebody_wanted = somebody_wanted || rank.wanted()[call] == chosen;
    }
    const bool is_as_before = call == 0 ? !chosen : chosen == all.front().chosen()[call - 1];
    ASSERT_TRUE(somebody_wanted || is_as_before) << call;
    if (!is_as_before) ++changes;
  }
  EXPECT_GT(changes, 20 * PathLog::kept) << "they hardly ran at once";
}

}  // namespace
}  // namespace typewarp::interpose
