// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/agreement/path_log.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace typewarp::interpose {
namespace {

constexpr std::uint64_t most_calls = (std::uint64_t{1} << 40) - 1;

/// Of a rank that is not there, for which no run is kept.
constexpr std::uint64_t beyond_all_calls = std::numeric_limits<std::uint64_t>::max();

constexpr bool is_odd(std::size_t run) noexcept { return run % 2 != 0; }

/// Of ranks that write at once, the greatest stays.
void raise(PathLog::Word& word, std::uint64_t to) noexcept {
  std::uint64_t now = word.load(std::memory_order_relaxed);
  while (now < to && !word.compare_exchange_weak(now, to, std::memory_order_relaxed)) {}
}

}  // namespace

/// `change(head)` returns whether it changed it. Returns the last head that is in force.
template <class Change>
PathLog::Head PathLog::change_head(Change change) noexcept {
  std::uint64_t word = head_->load(std::memory_order_acquire);
  for (;;) {
    Head head = std::bit_cast<Head>(word);
    if (!change(head)) return head;
    if (head_->compare_exchange_weak(word, std::bit_cast<std::uint64_t>(head), std::memory_order_acq_rel,
                                     std::memory_order_acquire))
      return head;
  }
}

void PathLog::begin(std::size_t ranks) noexcept {
  for (Word& word : begins_) word.store(0, std::memory_order_relaxed);
  for (std::size_t rank = 0; rank < next_.size(); ++rank)
    next_[rank].store(rank < ranks ? 0 : beyond_all_calls, std::memory_order_relaxed);
  Head head{};
  head.missing = static_cast<std::uint16_t>(ranks);
  head_->store(std::bit_cast<std::uint64_t>(head), std::memory_order_release);
}

void PathLog::join(std::size_t rank, std::uint64_t calls) noexcept {
  next_[rank].store(calls, std::memory_order_release);
  change_head([&](Head& head) {
    if (head.decided < calls) head.decided = calls & most_calls;
    --head.missing;
    return true;
  });
}

/// The run behind the last one comes in place of the oldest: whether all ranks are past that.
bool PathLog::has_room_behind(std::size_t last) const noexcept {
  const std::size_t oldest = last + 1;  // its place
  const std::uint64_t end = begin_of(oldest + 1).load(std::memory_order_relaxed);
  return std::ranges::all_of(next_,
                             [&](const Word& next) { return next.load(std::memory_order_acquire) >= end; });
}

bool PathLog::found(std::uint64_t call, std::size_t last) const noexcept {
  std::size_t back = 0;
  while (back + 1 < kept && begin_of(last - back).load(std::memory_order_relaxed) > call) ++back;
  return is_odd(last - back);
}

bool PathLog::is_ours(std::size_t rank, std::uint64_t call, std::optional<bool> wanted) noexcept {
  const Head head = change_head([&](Head& now) {
    if (call < now.decided) return false;
    ++now.decided;
    const bool is_other = wanted.value_or(is_odd(now.last)) != is_odd(now.last);
    if (is_other && now.missing == 0 && has_room_behind(now.last)) {
      ++now.last;
      raise(begin_of(now.last), call);
    }
    return true;
  });
  const bool is_ours = found(call, head.last);
  next_[rank].store(call + 1, std::memory_order_release);
  return is_ours;
}

}  // namespace typewarp::interpose
