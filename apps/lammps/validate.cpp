// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lammps/validate.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace lammps {

double drift(const std::vector<double>& energies) {
  double largest = 0;
  for (const double energy : energies) {
    largest = larger(largest, std::abs(energy / energies.front() - 1));
  }
  return largest;
}

std::string difference(const Outcome& outcome, const Outcome& other) {
  if (!(outcome.state == other.state)) return "positions or velocities";
  const std::size_t bytes = outcome.energies.size() * sizeof(double);
  if (outcome.energies.size() != other.energies.size() ||
      std::memcmp(outcome.energies.data(), other.energies.data(), bytes) != 0) {
    return "energies";
  }
  return "";
}

Deviation deviation(const Outcome& outcome, const Outcome& one_rank, const Axes<double>& length) {
  if (outcome.energies.size() != one_rank.energies.size() ||
      outcome.state.x.size() != one_rank.state.x.size()) {
    return {INFINITY, INFINITY};
  }
  Deviation found{0, largest_distance(outcome.state, one_rank.state, length)};
  for (std::size_t i = 0; i < outcome.energies.size(); ++i) {
    found.energy = larger(found.energy, std::abs(outcome.energies[i] / one_rank.energies[i] - 1));
  }
  return found;
}

Deviation largest_deviation(std::int64_t steps) {
  constexpr double at_start = 1e-12;
  constexpr double rate = 5;  // of the fastest growth, in units of time
  const double grown = at_start * std::exp(rate * time_step * static_cast<double>(steps));
  return {std::min(grown, 2 * largest_drift), grown < skin ? grown : INFINITY};
}

bool within(const Deviation& found, const Deviation& largest) {
  return found.energy <= largest.energy && found.distance <= largest.distance;
}

}  // namespace lammps
