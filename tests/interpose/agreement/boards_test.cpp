// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/agreement/boards.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace typewarp::interpose {
namespace {

class BoardsTest : public ::testing::Test {
 protected:
  static constexpr std::size_t ranks = 2;
  std::shared_ptr<Boards::Word[]> memory_{new Boards::Word[Boards::words(ranks)]()};
  Boards boards_{memory_, ranks};
};

TEST_F(BoardsTest, IsTakenAgainWhenAllHaveGivenItBack) {
  std::vector<int> taken;
  for (int number = boards_.take(ranks); number != Boards::none; number = boards_.take(ranks)) {
    EXPECT_NE(number, Boards::of_world);
    taken.push_back(number);
  }
  ASSERT_EQ(taken.size(), Boards::most - 1);
  const int given_back = taken[100];
  PathLog used = boards_.log(given_back);
  for (std::size_t rank = 0; rank < ranks; ++rank) used.join(rank, 0);
  EXPECT_TRUE(used.is_ours(0, 0, true));
  Board board = boards_.board(given_back, ranks);
  board.count_in(0);
  EXPECT_EQ(board.give_up(0), Board::Tally::abandoned);
  boards_.give_back(given_back);
  EXPECT_EQ(boards_.take(ranks), Boards::none);
  boards_.give_back(given_back);
  ASSERT_EQ(boards_.take(1), given_back);
  PathLog anew = boards_.log(given_back);
  EXPECT_FALSE(anew.is_ours(0, 0, true)) << "nobody has joined";
  anew.join(0, 1);
  EXPECT_TRUE(anew.is_ours(0, 1, true));
  EXPECT_EQ(boards_.board(given_back, 1).count_in(0), Board::Tally::complete);
  EXPECT_EQ(boards_.take(ranks), Boards::none);
}

TEST_F(BoardsTest, RanksOfTheJobThatAreNotOfTheCommunicatorDoNotHoldItBack) {
  PathLog log = boards_.log(boards_.take(1));
  log.join(0, 0);
  for (std::uint64_t call = 0; call < 4 * PathLog::kept; ++call) {
    const bool wanted = call % 2 == 0;
    ASSERT_EQ(log.is_ours(0, call, wanted), wanted) << call;
  }
}

// A board has its pages before its rows, a log behind it.
TEST_F(BoardsTest, RowsAndLogsAreApart) {
  constexpr std::uint64_t calls = 2;
  const auto row_of = [](int number, std::size_t rank, std::uint64_t call) {
    Board::Row row;
    row.fill(100 * number + static_cast<std::int64_t>(10 * rank + call) + 1);
    return row;
  };
  for (int number = 0; number < 3; ++number) {
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      for (std::uint64_t call = 0; call < calls; ++call)
        boards_.board(number, ranks).write(rank, call, row_of(number, rank, call));
      EXPECT_FALSE(boards_.log(number).is_ours(rank, 0, false));
    }
  }
  for (int number = 0; number < 3; ++number) {
    Board board = boards_.board(number, ranks);
    EXPECT_EQ(board.look(0), Board::Tally::waiting);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      for (std::uint64_t call = 0; call < calls; ++call)
        EXPECT_EQ(board.read(rank, call), row_of(number, rank, call));
    }
  }
}

TEST_F(BoardsTest, LogsAreApart) {
  PathLog world = boards_.log(Boards::of_world);
  PathLog other = boards_.log(boards_.take(ranks));
  for (std::size_t rank = 0; rank < ranks; ++rank) other.join(rank, 0);
  EXPECT_TRUE(world.is_ours(1, 0, true));
  EXPECT_FALSE(other.is_ours(1, 0, false));
  EXPECT_TRUE(world.is_ours(0, 0, false));
  EXPECT_FALSE(other.is_ours(0, 0, true));
}

TEST_F(BoardsTest, BoardsOfAnyNumberOfRanksOverlapNothing) {
  constexpr std::size_t many = 2 * Boards::most_in_turn;
  const std::shared_ptr<Boards::Word[]> memory{new Boards::Word[Boards::words(many)]()};
  Boards boards(memory, many);
  constexpr int number = 3;
  const auto write_all = [](Board board, std::size_t of, std::int64_t value) {
    Board::Row row;
    row.fill(value);
    for (std::size_t rank = 0; rank < of; ++rank)
      for (std::uint64_t call = 0; call < 2; ++call) board.write(rank, call, row);
  };
  write_all(boards.board_in_turn(number, Boards::most_in_turn), Boards::most_in_turn, 7);
  write_all(boards.board(number, many), many, 8);
  for (std::size_t rank = 0; rank < many; ++rank) EXPECT_FALSE(boards.log(number).is_ours(rank, 0, false));
  write_all(boards.board(number + 1, many), many, 9);
  for (std::size_t rank = 0; rank < Boards::most_in_turn; ++rank)
    EXPECT_EQ(boards.board_in_turn(number, Boards::most_in_turn).read(rank, 1).front(), 7);
  EXPECT_EQ(boards.board_in_turn(number, 1).look(0), Board::Tally::waiting);
}

TEST_F(BoardsTest, AreGivenBackWithTheLastThatHoldsThem) {
  const auto all = std::make_shared<Boards>(memory_, ranks);
  const int number = all->take(ranks);
  std::vector<std::shared_ptr<CommBoards>> held;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    held.push_back(std::make_shared<CommBoards>(all, ranks, rank));
    held.back()->use(number);
  }
  std::shared_ptr<CommBoards> last = held.back();
  while (all->take(ranks) != Boards::none) continue;
  held.clear();
  EXPECT_EQ(all->take(ranks), Boards::none);
  last.reset();
  EXPECT_EQ(all->take(ranks), number);
}

/// Ranks of one communicator.
class RanksAtBoardTest : public BoardsTest {
 protected:
  static Board::Row word(std::int64_t bits) {
    Board::Row row{};
    row.back() = bits;
    return row;
  }
  RankAtBoard rank(std::size_t number) { return {boards_.board(Boards::of_world, ranks), ranks, number}; }
};

TEST_F(RanksAtBoardTest, AllTakeWhatAllHaveGiven) {
  RankAtBoard first = rank(0), second = rank(1);
  for (std::int64_t call = 0; call < 4; ++call) {
    EXPECT_EQ(first.post(word(4 + call)), Board::Tally::waiting);
    EXPECT_EQ(second.post(word(4)), Board::Tally::complete);
    EXPECT_EQ(first.take().value().back(), 4);
    EXPECT_EQ(second.take().value().back(), 4);
  }
}

TEST_F(RanksAtBoardTest, GivingUpBetweenCallsEndsTheNextOne) {
  RankAtBoard first = rank(0), second = rank(1);
  first.post(word(1));
  second.post(word(1));
  ASSERT_TRUE(first.take());
  EXPECT_FALSE(second.is_given_up());
  first.give_up();
  ASSERT_TRUE(second.take()) << "the one before is complete";
  EXPECT_TRUE(second.is_given_up());
  EXPECT_EQ(second.post(word(1)), Board::Tally::abandoned);
  EXPECT_FALSE(second.take());
}

}  // namespace
}  // namespace typewarp::interpose
