// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

namespace typewarp::interpose {

/// When the ranks of a communicator ask each other about calls of one kind, of which nothing may come: to ask
/// costs some microseconds. The same in all ranks.
class Patience {
 public:
  /// Counts a call. Whether the ranks ask in it: in each of the first ones; where nothing has come of that,
  /// ever less often, at last in one of some 64.
  bool asks_next() noexcept {
    if (calls_++ < next_) return false;
    const std::uint64_t late = ++in_vain_ > questions ? in_vain_ - questions : 0;
    if (late > 0) next_ = calls_ + (std::uint64_t{1} << std::min(late, longest_pause_log2));
    return true;
  }
  /// The call was made.
  void reward() noexcept {
    in_vain_ = 0;
    next_ = 0;
  }
  std::uint64_t calls() const noexcept { return calls_; }

 private:
  static constexpr std::uint64_t questions = 8;  ///< in a row, before they become fewer
  static constexpr std::uint64_t longest_pause_log2 = 6;

  std::uint64_t calls_ = 0;
  std::uint64_t next_ = 0;     ///< call in which the ranks ask
  std::uint64_t in_vain_ = 0;  ///< questions since the last reward
};

}  // namespace typewarp::interpose
