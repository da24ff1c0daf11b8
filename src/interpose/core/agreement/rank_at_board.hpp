// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/agreement/board.hpp"
#include "interpose/core/agreement/capability.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

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

}  // namespace typewarp::interpose
