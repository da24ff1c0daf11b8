// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "exchange/carrier.hpp"

#include <atomic>
#include <cstdint>

namespace typewarp::exchange {

/// Of an exchange without a device: starts are counted by the caller, and done one after the other by who
/// steps.
class HostTurns final : public Turns {
 public:
  void start() noexcept { started_.fetch_add(1); }
  bool ended() const noexcept { return ended_.load(std::memory_order_acquire) == started_.load(); }

  bool begun() override {
    if (begun_ == started_.load(std::memory_order_acquire)) return false;
    ++begun_;
    return true;
  }
  void sent() override {}
  void received() override { ended_.fetch_add(1, std::memory_order_release); }
  bool unpacked() override { return true; }

 private:
  std::atomic<std::int64_t> started_ = 0, ended_ = 0;
  std::int64_t begun_ = 0;
};

}  // namespace typewarp::exchange
