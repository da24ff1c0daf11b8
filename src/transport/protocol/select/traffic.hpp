// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

namespace typewarp::transport {

/// The messages that this process sent by one protocol, for statistics.
struct Traffic {
  static inline constinit std::atomic<bool> counted = false;  ///< whoever wants to know sets this

  /// To be called once for each message, when it is known that it goes so.
  void count(std::int64_t bytes_of_one) noexcept {
    if (!counted.load(std::memory_order_relaxed)) return;
    messages.fetch_add(1, std::memory_order_relaxed);
    bytes.fetch_add(bytes_of_one, std::memory_order_relaxed);
  }

  std::atomic<std::int64_t> messages = 0;
  std::atomic<std::int64_t> bytes = 0;
};

}  // namespace typewarp::transport
