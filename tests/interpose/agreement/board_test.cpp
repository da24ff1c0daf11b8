// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/agreement/board.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace typewarp::interpose {
namespace {

using Tally = Board::Tally;

constexpr std::size_t most_ranks = 3;
constexpr std::size_t most_words = Board::words(most_ranks);

Board::Row row_of(std::size_t rank, std::uint64_t call) {
  Board::Row row;
  row.fill(static_cast<std::int64_t>(100 * call + rank + 1));
  return row;
}

/// A rank as it makes one call after the other, in steps between which others may make any of theirs.
struct Rank {
  enum class At : std::uint8_t { writes, counts, looks, reads, has_ended, sees_abandoned, dead };

  At at = At::writes;
  std::uint64_t call = 0;
  std::size_t read = 0;  ///< rows of the call

  auto operator<=>(const Rank&) const = default;
  bool is_through(std::uint64_t of) const { return call > of || at == At::has_ended; }
};

/// All that there is at one time.
struct Moment {
  std::array<std::uint64_t, most_words> memory{};
  std::array<Rank, most_ranks> ranks{};

  auto operator<=>(const Moment&) const = default;
};

/// Makes all steps that ranks may make, in all orders, from each moment on that is not known yet.
class Explorer {
 public:
  Explorer(std::size_t ranks, std::uint64_t calls) : ranks_(ranks), calls_(calls) {}

  std::size_t explore() {
    std::vector<Moment> next{Moment{}};
    known_.insert(Moment{});
    while (!next.empty() && !::testing::Test::HasFailure()) {
      const Moment moment = next.back();
      next.pop_back();
      check(moment);
      for (const Moment& later : later_than(moment)) {
        if (known_.insert(later).second) next.push_back(later);
      }
    }
    return known_.size();
  }
  bool some_completed_all() const { return completed_all_; }
  bool some_were_abandoned() const { return abandoned_; }

 private:
  template <class Act>
  Moment after(const Moment& before, std::size_t rank, Act act) {
    std::array<Board::Word, most_words> memory;
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = before.memory[i];
    Board board(memory, ranks_);
    Moment later = before;
    act(board, later.ranks[rank]);
    std::ranges::copy(memory, later.memory.begin());
    return later;
  }

  void go_on(Rank& rank, Tally tally) const {
    if (tally == Tally::complete) rank.at = Rank::At::reads;
    if (tally == Tally::waiting) rank.at = Rank::At::looks;
    if (tally == Tally::abandoned) rank.at = Rank::At::sees_abandoned;
  }

  void read(const Board& board, Rank& rank) const {
    EXPECT_EQ(board.read(rank.read, rank.call), row_of(rank.read, rank.call));
    if (++rank.read < ranks_) return;
    rank.read = 0;
    rank.at = ++rank.call < calls_ ? Rank::At::writes : Rank::At::has_ended;
  }

  std::vector<Moment> later_than(const Moment& moment) {
    std::vector<Moment> all;
    for (std::size_t number = 0; number < ranks_; ++number) {
      const auto step = [&](auto act) { all.push_back(after(moment, number, act)); };
      switch (moment.ranks[number].at) {
        case Rank::At::writes:
          step([&](Board& board, Rank& rank) {
            board.write(number, rank.call, row_of(number, rank.call));
            rank.at = Rank::At::counts;
          });
          break;
        case Rank::At::counts:
          step([&](Board& board, Rank& rank) { go_on(rank, board.count_in(rank.call)); });
          break;
        case Rank::At::looks:
          step([&](Board& board, Rank& rank) { go_on(rank, board.look(rank.call)); });
          step([&](Board& board, Rank& rank) {
            go_on(rank, board.give_up(rank.call));
            EXPECT_NE(rank.at, Rank::At::looks) << "it waits on";
          });
          break;
        case Rank::At::reads:
          step([&](Board& board, Rank& rank) { read(board, rank); });
          break;
        default:
          continue;
      }
      step([](Board&, Rank& rank) { rank.at = Rank::At::dead; });
    }
    return all;
  }

  /// What one rank finds of a call no other finds otherwise, and nobody waits who need not.
  void check(const Moment& moment) {
    const auto ranks = std::span(moment.ranks).first(ranks_);
    for (const Rank& one : ranks) {
      if (one.at != Rank::At::sees_abandoned) continue;
      abandoned_ = true;
      for (const Rank& other : ranks) {
        EXPECT_FALSE(other.is_through(one.call)) << "of call " << one.call;
        EXPECT_FALSE(other.call == one.call && other.at == Rank::At::reads) << "call " << one.call;
      }
    }
    const auto has_ended = [](const Rank& rank) { return rank.at == Rank::At::has_ended; };
    completed_all_ = completed_all_ || std::ranges::all_of(ranks, has_ended);
    if (std::ranges::any_of(ranks, [](const Rank& rank) { return rank.at == Rank::At::dead; })) return;
    EXPECT_TRUE(std::ranges::all_of(ranks, is_over) || can_go_on(moment)) << "some wait for ever";
  }

  static bool is_over(const Rank& rank) { return rank.at >= Rank::At::has_ended; }
  /// Without giving up.
  bool can_go_on(const Moment& moment) {
    for (std::size_t number = 0; number < ranks_; ++number) {
      const Rank& rank = moment.ranks[number];
      if (is_over(rank)) continue;
      if (rank.at != Rank::At::looks) return true;
      bool waits = false;
      after(moment, number,
            [&](const Board& board, const Rank&) { waits = board.look(rank.call) == Tally::waiting; });
      if (!waits) return true;
    }
    return false;
  }

  std::size_t ranks_;
  std::uint64_t calls_;
  std::set<Moment> known_;
  bool completed_all_ = false, abandoned_ = false;
};

TEST(BoardTest, AllOrdersOfTwoRanks) {
  Explorer explorer(2, 5);
  EXPECT_GT(explorer.explore(), 300);
  EXPECT_TRUE(explorer.some_completed_all());
  EXPECT_TRUE(explorer.some_were_abandoned());
}

TEST(BoardTest, AllOrdersOfThreeRanks) {
  Explorer explorer(3, 4);
  EXPECT_GT(explorer.explore(), 3000);
  EXPECT_TRUE(explorer.some_completed_all());
  EXPECT_TRUE(explorer.some_were_abandoned());
}

class BoardOfThree : public ::testing::Test {
 protected:
  std::array<Board::Word, most_words> memory_{};
  Board board_{memory_, most_ranks};
};

TEST_F(BoardOfThree, WhoComesAfterAllGaveUpSeesIt) {
  EXPECT_EQ(board_.count_in(0), Tally::waiting);
  EXPECT_EQ(board_.count_in(0), Tally::waiting);
  EXPECT_EQ(board_.give_up(0), Tally::abandoned);
  EXPECT_EQ(board_.look(0), Tally::abandoned);
  EXPECT_EQ(board_.count_in(0), Tally::abandoned);
  board_.begin();
  EXPECT_EQ(board_.look(0), Tally::waiting);
}

TEST_F(BoardOfThree, ACompleteCallIsNotAbandoned) {
  for (std::size_t rank = 0; rank < most_ranks; ++rank) board_.count_in(0);
  EXPECT_EQ(board_.give_up(0), Tally::complete);
  EXPECT_EQ(board_.look(0), Tally::complete);
}

TEST_F(BoardOfThree, WordsThatNobodyWroteAreAnAbandonedCall) {
  memory_[0] = ~std::uint64_t{0} >> 1;
  EXPECT_EQ(board_.look(0), Tally::abandoned);
  EXPECT_EQ(board_.count_in(0), Tally::abandoned);
}

// Threads, each of which counts what all have written.
TEST_F(BoardOfThree, RanksAtOnce) {
  constexpr std::uint64_t calls = 20000;
  std::array<std::uint64_t, most_ranks> wrong{};
  {
    std::vector<std::jthread> threads;
    for (std::size_t rank = 0; rank < most_ranks; ++rank) {
      threads.emplace_back([&, rank] {
        for (std::uint64_t call = 0; call < calls; ++call) {
          board_.write(rank, call, row_of(rank, call));
          Tally tally = board_.count_in(call);
          for (; tally == Tally::waiting; tally = board_.look(call)) std::this_thread::yield();
          for (std::size_t other = 0; other < most_ranks; ++other)
            wrong[rank] +=
                tally == Tally::complete && board_.read(other, call) == row_of(other, call) ? 0U : 1U;
        }
      });
    }
  }
  for (const std::uint64_t count : wrong) EXPECT_EQ(count, 0);
}

}  // namespace
}  // namespace typewarp::interpose
