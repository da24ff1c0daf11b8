// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace stencil2d {

/// Where the time of a run goes. "send" is posting receives and handing messages over, which waits for what
/// packing has only enqueued on a GPU; "wait" is until they have arrived.
enum class Phase : std::size_t { compute, pack, send, wait, unpack, total };

inline constexpr std::array<std::string_view, 6> phase_names{"compute", "pack",   "send",
                                                             "wait",    "unpack", "total"};

/// Seconds of one rank, summed over the run.
class PhaseTimes {
 public:
  double& operator[](Phase phase) { return seconds_[static_cast<std::size_t>(phase)]; }
  double operator[](Phase phase) const { return seconds_[static_cast<std::size_t>(phase)]; }
  const std::array<double, phase_names.size()>& seconds() const noexcept { return seconds_; }

  double exchange() const {
    return (*this)[Phase::pack] + (*this)[Phase::send] + (*this)[Phase::wait] + (*this)[Phase::unpack];
  }

 private:
  std::array<double, phase_names.size()> seconds_{};
};

}  // namespace stencil2d
