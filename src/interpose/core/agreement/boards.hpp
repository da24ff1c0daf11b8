// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/agreement/board.hpp"
#include "interpose/core/agreement/capability.hpp"
#include "interpose/core/agreement/path_log.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace typewarp::interpose {

/// A board as one of its ranks uses it. Counts the calls.
class RankAtBoard {
 public:
  RankAtBoard(const Board& board, std::size_t ranks, std::size_t rank) noexcept
      : board_(board), ranks_(ranks), rank_(rank) {}

  /// Begins a call.
  Board::Tally post(const Board::Row& own) noexcept {
    board_.write(rank_, call_, own);
    return board_.count_in(call_);
  }
  /// How it stands with the call, or with the next one if none is begun.
  Board::Tally look() const noexcept { return board_.look(call_); }
  /// Ends a call: most_of() all ranks, or nothing if it was abandoned, as the next ones are then.
  /// Precondition: it is not waiting.
  std::optional<Board::Row> take() noexcept {
    if (look() != Board::Tally::complete) return std::nullopt;
    Board::Row most = board_.read(0, call_);
    for (std::size_t rank = 1; rank < ranks_; ++rank) most = most_of(most, board_.read(rank, call_));
    ++call_;
    return most;
  }

  /// The call is abandoned, or the next one if none is begun, unless it is complete. Others look meanwhile,
  /// and see that this rank has failed.
  Board::Tally give_up() noexcept { return board_.give_up(call_); }
  bool is_given_up() const noexcept { return look() == Board::Tally::abandoned; }

 private:
  Board board_;
  std::size_t ranks_, rank_;
  std::uint64_t call_ = 0;
};

/// Shared memory by which the ranks of a communicator agree, for each of several communicators: a board for
/// calls that may wait, one for those that are made in turn, and a log for those that may not wait. One rank
/// takes them for a communicator and tells the others their number. They are free again when all of these
/// ranks have given them back. Thread safe.
class Boards {
 public:
  using Word = Board::Word;
  /// Communicators at a time.
  static constexpr std::size_t most = 256;
  /// Ranks of a communicator that has a board for calls in turn.
  static constexpr std::size_t most_in_turn = 8;
  static constexpr std::size_t words(std::size_t ranks) noexcept { return most * words_of_each(ranks); }

  /// `memory`: words(ranks) that all these ranks have mapped, 0 at first.
  Boards(std::shared_ptr<Word[]> memory, std::size_t ranks) noexcept
      : memory_(std::move(memory)), ranks_(ranks) {}

  static constexpr int none = -1;
  /// Of all the ranks, who know it from the start.
  static constexpr int of_world = 0;
  /// Whether what another rank tells can be a number that it took.
  static constexpr bool is_number(std::int64_t told) noexcept {
    return told > of_world && told < static_cast<std::int64_t>(most);
  }
  /// Those that nobody has, for so many ranks; or none.
  int take(std::size_t ranks) noexcept;
  /// Each of its ranks, once.
  void give_back(int number) noexcept;

  Board board(int number, std::size_t ranks) const noexcept { return {words_of(number), ranks}; }
  /// Precondition: at most `most_in_turn` ranks.
  Board board_in_turn(int number, std::size_t ranks) const noexcept {
    return {words_of(number).subspan(Board::words(ranks_)), ranks};
  }
  PathLog log(int number) const noexcept {
    return PathLog(words_of(number).subspan(words_of_boards(ranks_), PathLog::words(ranks_)));
  }

 private:
  static constexpr std::size_t words_of_boards(std::size_t ranks) noexcept {
    return Board::words(ranks) + Board::words(std::min(ranks, most_in_turn));
  }
  /// Boards, a log, and how many ranks have not given them back. Boards begin where cache lines do.
  static constexpr std::size_t words_of_each(std::size_t ranks) noexcept {
    constexpr std::size_t line = 8;
    return (words_of_boards(ranks) + PathLog::words(ranks) + 1 + line - 1) / line * line;
  }
  std::span<Word> words_of(int number) const noexcept {
    const std::size_t each = words_of_each(ranks_);
    return {memory_.get() + static_cast<std::size_t>(number) * each, each};
  }
  Word& users(int number) const noexcept { return words_of(number).back(); }

  std::shared_ptr<Word[]> memory_;
  std::size_t ranks_;
};

inline int Boards::take(std::size_t ranks) noexcept {
  for (int number = of_world + 1; number < static_cast<int>(most); ++number) {
    std::uint64_t nobody = 0;
    if (users(number).load(std::memory_order_relaxed) != nobody) continue;
    // What the last users did with it is over.
    if (!users(number).compare_exchange_strong(nobody, ranks, std::memory_order_acquire)) continue;
    board(number, ranks).begin();
    if (ranks <= most_in_turn) board_in_turn(number, ranks).begin();
    log(number).begin(ranks);
    return number;
  }
  return none;
}

inline void Boards::give_back(int number) noexcept { users(number).fetch_sub(1, std::memory_order_release); }

/// Those that a communicator has, which this rank gives back with the last that holds them: a call may
/// outlive the communicator.
class CommBoards {
 public:
  CommBoards(std::shared_ptr<Boards> all, std::size_t ranks, std::size_t rank) noexcept
      : all_(std::move(all)), ranks_(ranks), rank_(rank) {}
  CommBoards& operator=(CommBoards&&) = delete;
  ~CommBoards() {
    if (Boards::is_number(number_)) all_->give_back(number_);
  }

  /// Once the number is known.
  void use(int number) noexcept { number_ = number; }
  int number() const noexcept { return number_; }
  bool are_known() const noexcept { return number_ != Boards::none; }
  const std::shared_ptr<Boards>& all() const noexcept { return all_; }
  /// Of this rank, if it is the one that takes them for all.
  int taken() noexcept { return rank_ == 0 ? all_->take(ranks_) : Boards::none; }

  // Precondition: are_known().
  RankAtBoard waiting() const noexcept { return {all_->board(number_, ranks_), ranks_, rank_}; }
  /// Nothing among too many ranks.
  std::optional<RankAtBoard> in_turn() const noexcept {
    if (ranks_ > Boards::most_in_turn) return std::nullopt;
    return RankAtBoard(all_->board_in_turn(number_, ranks_), ranks_, rank_);
  }
  PathLog log() const noexcept { return all_->log(number_); }

 private:
  std::shared_ptr<Boards> all_;
  std::size_t ranks_, rank_;
  int number_ = Boards::none;
};

}  // namespace typewarp::interpose
