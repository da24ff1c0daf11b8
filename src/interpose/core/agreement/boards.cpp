// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/agreement/boards.hpp"

namespace typewarp::interpose {

int Boards::take(std::size_t ranks) noexcept {
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

void Boards::give_back(int number) noexcept { users(number).fetch_sub(1, std::memory_order_release); }

}  // namespace typewarp::interpose
