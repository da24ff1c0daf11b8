// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/agreement/board.hpp"
#include "interpose/core/agreement/path_log.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

namespace typewarp::interpose {

/// Shared memory by which the ranks of a communicator agree, for each of several communicators: a board for
/// calls that may wait, and a log for those that may not. One rank takes them for a communicator and tells
/// the others their number. They are free again when all of these ranks have given them back. Thread safe.
class Boards {
 public:
  using Word = Board::Word;
  /// Communicators at a time.
  static constexpr std::size_t most = 256;
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
  PathLog log(int number) const noexcept {
    return PathLog(words_of(number).subspan(Board::words(ranks_), PathLog::words(ranks_)));
  }

 private:
  /// A board, a log, and how many ranks have not given them back. Boards begin where cache lines do.
  static constexpr std::size_t words_of_each(std::size_t ranks) noexcept {
    constexpr std::size_t line = 8;
    return (Board::words(ranks) + PathLog::words(ranks) + 1 + line - 1) / line * line;
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
    log(number).begin(ranks);
    return number;
  }
  return none;
}

inline void Boards::give_back(int number) noexcept { users(number).fetch_sub(1, std::memory_order_release); }

}  // namespace typewarp::interpose
