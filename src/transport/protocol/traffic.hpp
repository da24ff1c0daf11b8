// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

/// How the messages went that this process sent, for statistics.
namespace typewarp::transport {

enum class Carriage : std::uint8_t { eager, ring, direct, shared_chunks, pipelined, gpu_aware, ucx };
inline constexpr std::array<const char*, 7> carriage_names{
    "eager", "ring", "direct", "shared chunks", "pipelined", "gpu_aware", "ucx"};

struct Traffic {
  struct Sum {
    std::atomic<std::int64_t> messages = 0;
    std::atomic<std::int64_t> bytes = 0;
  };
  std::atomic<bool> counted = false;  ///< whoever wants to know sets this
  std::array<Sum, carriage_names.size()> sums{};
};
inline constinit Traffic traffic;

/// To be called once for each message, when it is known how it goes.
inline void count_sent(Carriage by, std::int64_t bytes) noexcept {
  if (!traffic.counted.load(std::memory_order_relaxed)) return;
  Traffic::Sum& sum = traffic.sums[static_cast<std::size_t>(by)];
  sum.messages.fetch_add(1, std::memory_order_relaxed);
  sum.bytes.fetch_add(bytes, std::memory_order_relaxed);
}

}  // namespace typewarp::transport
