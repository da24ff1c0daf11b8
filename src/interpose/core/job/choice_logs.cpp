// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/job/choice_logs.hpp"

namespace typewarp::interpose {

int ChoiceLogs::take(std::size_t ranks) noexcept {
  for (int number = of_world + 1; number < static_cast<int>(most); ++number) {
    std::uint64_t users = 0;
    // What the last user did with it is over.
    if (!words_of(number).front().compare_exchange_strong(users, ranks, std::memory_order_acquire)) continue;
    log(number).begin(ranks);
    return number;
  }
  return none;
}

void ChoiceLogs::give_back(int number) noexcept {
  words_of(number).front().fetch_sub(1, std::memory_order_release);
}

}  // namespace typewarp::interpose
