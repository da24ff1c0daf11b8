// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "exchange/carrier.hpp"

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>

namespace typewarp::exchange {

/// Of an exchange without a device: starts are counted by the caller, and done one after the other by who
/// steps.
class HostTurns final : public Turns {
 public:
  void start(std::int64_t sends_displaced_by) {
    const std::lock_guard lock(mutex_);
    displaced_.push_back(sends_displaced_by);
    started_.fetch_add(1);
  }
  bool ended() const noexcept { return ended_.load(std::memory_order_acquire) == started_.load(); }

  std::optional<std::int64_t> begun() override {
    const std::lock_guard lock(mutex_);
    if (displaced_.empty()) return std::nullopt;
    const std::int64_t first = displaced_.front();
    displaced_.pop_front();
    return first;
  }
  void sent() override {}
  void received() override { ended_.fetch_add(1, std::memory_order_release); }
  bool unpacked() override { return true; }

 private:
  std::atomic<std::int64_t> started_ = 0, ended_ = 0;
  std::mutex mutex_;
  std::deque<std::int64_t> displaced_;  ///< of the starts that have not begun
};

}  // namespace typewarp::exchange
