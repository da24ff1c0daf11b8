// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lammps/domain.hpp"

#include <cstdint>
#include <vector>

namespace lammps {

/// All atoms of the box by their tags, on the host: three numbers each.
struct State {
  std::vector<double> x, v;

  /// To the last bit.
  friend bool operator==(const State& a, const State& b);
};

/// The larger of two numbers, or what is not a number among them.
double larger(double a, double b);

/// The largest distance, along any axis, of an atom from where it is in the other state, in a periodic box;
/// infinite if they do not have as many atoms.
double largest_distance(const State& a, const State& b, const Axes<double>& length);

}  // namespace lammps
