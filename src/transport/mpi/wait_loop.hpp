// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <thread>

namespace typewarp::transport {

/// How a thread waits for what it has to look for: look after look, between which the processor goes to
/// others every now and then, since ranks may outnumber processors.
class WaitLoop {
 public:
  /// For looks of a tenth of a microsecond or so.
  static constexpr int often = 64;

  explicit WaitLoop(int looks_between_yields = often) noexcept : period_(looks_between_yields) {}

  /// To be called after a look in vain. Whether it has yielded.
  bool again() noexcept {
    if (++looks_ < period_) return false;
    looks_ = 0;
    std::this_thread::yield();
    return true;
  }

 private:
  int period_;
  int looks_ = 0;
};

/// Until `look` is true.
template <typename Look>
void wait_until(Look look, int looks_between_yields = WaitLoop::often) {
  for (WaitLoop loop(looks_between_yields); !look();) loop.again();
}

/// Looks that take long themselves, or move on what others wait for.
inline constexpr int yield_each_time = 1;

}  // namespace typewarp::transport
