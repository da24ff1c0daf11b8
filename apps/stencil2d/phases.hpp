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

/// The sides of a rank's part of the field.
enum class Side : std::size_t { north, south, west, east };

inline constexpr std::array<std::string_view, 4> side_names{"north", "south", "west", "east"};

/// Seconds of one rank, summed over the run.
class PhaseTimes {
 public:
  /// With `by_side`, copies of one side are to end before those of the other begin, and are timed apart.
  explicit PhaseTimes(bool by_side = false) : by_side_(by_side) {}

  double& operator[](Phase phase) { return seconds_[static_cast<std::size_t>(phase)]; }
  double operator[](Phase phase) const { return seconds_[static_cast<std::size_t>(phase)]; }
  const std::array<double, phase_names.size()>& seconds() const noexcept { return seconds_; }

  bool by_side() const noexcept { return by_side_; }
  /// Between the field and host memory, of one side: 0 unless by side, and where nothing is copied.
  double& copies(Side side) { return copies_[static_cast<std::size_t>(side)]; }
  double& messages(Side side) { return messages_[static_cast<std::size_t>(side)]; }

  double exchange() const {
    return (*this)[Phase::pack] + (*this)[Phase::send] + (*this)[Phase::wait] + (*this)[Phase::unpack];
  }

 private:
  bool by_side_;
  std::array<double, phase_names.size()> seconds_{};
  std::array<double, side_names.size()> copies_{};
  std::array<double, side_names.size()> messages_{};
};

}  // namespace stencil2d
