// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lammps/domain.hpp"
#include "lammps/state.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace lammps {

/// How a run ended.
struct Outcome {
  std::vector<double> energies;
  State state;  ///< on rank 0
};

/// By how much of its size at the start the energy has changed at most.
double drift(const std::vector<double>& energies);

/// What distinguishes the outcome from that of another way to communicate, "" if nothing does, to the last
/// bit.
std::string difference(const Outcome& outcome, const Outcome& other);

/// How far an outcome is from that of a run of one rank, which adds up in another order. Infinite if they do
/// not have as many energies and atoms.
struct Deviation {
  double energy = 0;    ///< the largest one, relative
  double distance = 0;  ///< of an atom
};
Deviation deviation(const Outcome& outcome, const Outcome& one_rank, const Axes<double>& length);

/// The drift that is allowed. The step of time, and atoms that pass the cutoff, cause up to 4e-4 in a box of
/// 108 atoms, and less than 1e-4 in one of 8,000.
inline constexpr double largest_drift = 1e-3;

/// The deviation that rounding explains: it grows by a factor in each unit of time, since the system is
/// chaotic. Energies never differ by more than both runs may drift. The distance is infinite once rounding
/// would explain any.
Deviation largest_deviation(std::int64_t steps);
/// Never with what is not a number.
bool within(const Deviation& found, const Deviation& largest);

}  // namespace lammps
