// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/job/choice_log.hpp"

#include <cstddef>
#include <memory>
#include <span>

namespace typewarp::interpose {

/// ChoiceLogs of communicators of ranks that share memory. One rank takes a log for a communicator and tells
/// the others its number; it is free again when all of them have given it back. Thread safe.
class ChoiceLogs {
 public:
  using Word = ChoiceLog::Word;
  /// Communicators at a time that have one. Another has none, and its calls are the MPI's.
  static constexpr std::size_t most = 256;
  static constexpr std::size_t words(std::size_t ranks) noexcept { return most * words_of_each(ranks); }

  /// `memory`: words(ranks) that all these ranks have mapped, 0 at first.
  ChoiceLogs(std::shared_ptr<Word[]> memory, std::size_t ranks) noexcept
      : memory_(std::move(memory)), ranks_(ranks) {}

  static constexpr int none = -1;
  /// Whether what another rank tells can be a log's number.
  static constexpr bool is_number(int told) noexcept {
    return told > of_world && told < static_cast<int>(most);
  }
  /// Of all the ranks, who know it from the start.
  static constexpr int of_world = 0;
  /// One that nobody has, for so many ranks; or none.
  int take(std::size_t ranks) noexcept;
  ChoiceLog log(int number) const noexcept { return ChoiceLog(words_of(number).subspan(1)); }
  /// Each of its ranks, once.
  void give_back(int number) noexcept;

 private:
  /// The first says how many ranks have not given the log back.
  static constexpr std::size_t words_of_each(std::size_t ranks) noexcept {
    return 1 + ChoiceLog::words(ranks);
  }
  std::span<Word> words_of(int number) const noexcept {
    const std::size_t each = words_of_each(ranks_);
    return {memory_.get() + static_cast<std::size_t>(number) * each, each};
  }

  std::shared_ptr<Word[]> memory_;
  std::size_t ranks_;
};

}  // namespace typewarp::interpose
