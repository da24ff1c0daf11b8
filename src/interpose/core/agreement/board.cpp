// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/agreement/board.hpp"

#include <bit>

namespace typewarp::interpose {

/// Of one page: its call, the ranks that are counted in, and whether one has given up.
struct Board::Count {
  static constexpr std::uint64_t last_call = (std::uint64_t{1} << 43) - 1;

  std::uint64_t call : 43;
  std::uint64_t posted : 20;
  std::uint64_t is_abandoned : 1;
};

// Words that no rank can have written are a call that was abandoned.
Board::Tally Board::tally_of(const Count& count, std::uint64_t call) const noexcept {
  if (count.is_abandoned != 0 || count.call > call || count.posted > ranks_) return Tally::abandoned;
  return count.call == call && count.posted == ranks_ ? Tally::complete : Tally::waiting;
}

/// `change(count)` of a call that is neither complete nor abandoned.
template <class Change>
Board::Tally Board::change(std::uint64_t call, Change change) noexcept {
  Word& word = page(call);
  std::uint64_t now = word.load(std::memory_order_acquire);
  for (;;) {
    auto count = std::bit_cast<Count>(now);
    if (tally_of(count, call) != Tally::waiting) return tally_of(count, call);
    if (count.call != call) count = {call & Count::last_call, 0, 0};
    change(count);
    if (word.compare_exchange_weak(now, std::bit_cast<std::uint64_t>(count), std::memory_order_acq_rel,
                                   std::memory_order_acquire))
      return tally_of(count, call);
  }
}

void Board::begin() noexcept {
  for (std::uint64_t call = 0; call < pages; ++call) page(call).store(0, std::memory_order_release);
}

void Board::write(std::size_t rank, std::uint64_t call, const Row& row) noexcept {
  const std::span<Word> words = this->row(rank, call);
  for (std::size_t i = 0; i < row.size(); ++i)
    words[i].store(static_cast<std::uint64_t>(row[i]), std::memory_order_relaxed);
}

Board::Tally Board::count_in(std::uint64_t call) noexcept {
  return change(call, [](Count& count) { ++count.posted; });
}

Board::Tally Board::look(std::uint64_t call) const noexcept {
  return tally_of(std::bit_cast<Count>(page(call).load(std::memory_order_acquire)), call);
}

Board::Tally Board::give_up(std::uint64_t call) noexcept {
  return change(call, [](Count& count) { count.is_abandoned = 1; });
}

Board::Row Board::read(std::size_t rank, std::uint64_t call) const noexcept {
  const std::span<Word> words = row(rank, call);
  Row read;
  for (std::size_t i = 0; i < read.size(); ++i)
    read[i] = static_cast<std::int64_t>(words[i].load(std::memory_order_relaxed));
  return read;
}

}  // namespace typewarp::interpose
