// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/shape.hpp"
#include "lammps/state.hpp"

#include <vector>

namespace lammps {

/// Atoms of the lowest layer of the box as discs, rows along x and columns along y, in a field of `shape`
/// points: what a disc has is the velocity along x, and the rest is 0.
std::vector<double> scene(const State& state, const Axes<double>& length, apps::Shape shape);

}  // namespace lammps
