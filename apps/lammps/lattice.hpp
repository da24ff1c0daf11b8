// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lammps/domain.hpp"

#include <cstdint>
#include <vector>

namespace lammps {

/// The atoms of one rank at the start, on the host.
struct Start {
  std::vector<double> x, v;        ///< three numbers an atom
  std::vector<std::int64_t> tags;  ///< its number in the whole box
};

/// A face-centred cubic lattice, and velocities from a seed: those of temperature 1.44, without total
/// momentum. An atom's start does not depend on the number of ranks.
Start make_start(const Domain& domain, const Grid& cells, std::uint64_t seed);

}  // namespace lammps
