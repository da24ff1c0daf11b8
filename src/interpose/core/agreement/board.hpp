// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace typewarp::interpose {

/// Where ranks that share memory tell each other what each has for a collective call, so that all decide
/// alike. The memory is all zero at first. All ranks make these calls in one order, and count them from 0.
///
/// A rank writes its row, counts itself in, and looks until the call is complete or abandoned. Then it reads
/// all rows. It may give up instead. One word of the call holds the count and whether a rank has given up,
/// and changes by compare-and-swap only: so either all ranks are counted or one has given up, whoever looks
/// and whenever. A rank that dies is not counted, and the others wait until one of them gives up.
///
/// Two pages are enough. A rank begins call k + 1 when call k is complete and it has read all rows of k. Page
/// and rows of call k are used again in call k + 2, where the first rank comes when k + 1 is complete: then
/// all ranks have begun k + 1. After a call that was abandoned no rank begins another.
class Board {
 public:
  using Word = std::atomic<std::uint64_t>;
  static_assert(Word::is_always_lock_free);
  using Row = std::array<std::int64_t, 7>;
  enum class Tally : std::uint8_t { waiting, complete, abandoned };

  /// For so many ranks.
  static constexpr std::size_t words(std::size_t ranks) noexcept { return line + pages * ranks * line; }

  /// `memory` of at least words(ranks), which outlives this.
  Board(std::span<Word> memory, std::size_t ranks) noexcept : memory_(memory), ranks_(ranks) {}

  /// Before others know of it, where the memory was used before.
  void begin() noexcept;

  /// This rank's, before it is counted in.
  void write(std::size_t rank, std::uint64_t call, const Row& row) noexcept;
  Tally count_in(std::uint64_t call) noexcept;
  Tally look(std::uint64_t call) const noexcept;
  /// The call is abandoned for all ranks, unless it is complete.
  Tally give_up(std::uint64_t call) noexcept;
  /// That of any rank, once the call is complete.
  Row read(std::size_t rank, std::uint64_t call) const noexcept;

 private:
  static constexpr std::size_t pages = 2;
  static constexpr std::size_t line = 8;  ///< words of a cache line: the pages have one, and each row

  struct Count;
  template <class Change>
  Tally change(std::uint64_t call, Change change) noexcept;
  Tally tally_of(const Count& count, std::uint64_t call) const noexcept;
  Word& page(std::uint64_t call) const noexcept { return memory_[call % pages]; }
  std::span<Word> row(std::size_t rank, std::uint64_t call) const noexcept {
    return memory_.subspan(line + (call % pages * ranks_ + rank) * line, line);
  }

  std::span<Word> memory_;
  std::size_t ranks_;
};

}  // namespace typewarp::interpose
