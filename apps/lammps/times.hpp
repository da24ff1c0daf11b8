// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace lammps {

/// Where the time of a run goes: forces and integration; positions of ghosts; forces of ghosts; atoms that
/// change their rank and new ghosts; what the host decides for these, lists of neighbours included; making
/// transfers that are repeated; all.
enum class Phase : std::size_t { compute, forward, reverse, move, lists, prepare, total };
inline constexpr std::array<std::string_view, 7> phase_names{"compute", "forward", "reverse", "move",
                                                             "lists",   "prepare", "total"};

/// Seconds of one rank, summed over the run.
class Times {
 public:
  double& operator[](Phase phase) { return seconds_[static_cast<std::size_t>(phase)]; }
  double operator[](Phase phase) const { return seconds_[static_cast<std::size_t>(phase)]; }

  const auto& seconds() const noexcept { return seconds_; }
  /// All that goes between ranks.
  double communication() const {
    return (*this)[Phase::forward] + (*this)[Phase::reverse] + (*this)[Phase::move] + (*this)[Phase::prepare];
  }

 private:
  std::array<double, phase_names.size()> seconds_{};
};

}  // namespace lammps
