// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/calls.hpp"

#include <atomic>
#include <cstddef>

namespace typewarp::interpose {

/// How often each call was made, and what of it was ours; the datatypes that plans were made for, those that
/// none could be made for, and the plans that exist.
struct Statistics {
  std::array<std::atomic<std::int64_t>, calls> made{};
  std::array<std::atomic<std::int64_t>, calls> taken{};  ///< of them, those that we saw to
  std::array<std::atomic<std::int64_t>, calls> bytes{};  ///< of the packed stream, that these may move
  std::atomic<std::int64_t> planned = 0;
  std::atomic<std::int64_t> not_planned = 0;
  std::atomic<std::int64_t> plans = 0;
};
extern Statistics statistics;

/// Whether TYPEWARP_STATS=1.
bool statistics_wanted() noexcept;

inline void count_call(int number) noexcept {
  statistics.made[static_cast<std::size_t>(number)].fetch_add(1, std::memory_order_relaxed);
}

inline void count_taken(int number, std::int64_t bytes) noexcept {
  statistics.taken[static_cast<std::size_t>(number)].fetch_add(1, std::memory_order_relaxed);
  statistics.bytes[static_cast<std::size_t>(number)].fetch_add(bytes, std::memory_order_relaxed);
}

/// Writes them to stderr, each line with the rank in MPI_COMM_WORLD. While MPI is initialised.
void print_statistics() noexcept;

}  // namespace typewarp::interpose
