// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lammps/domain.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace lammps {

/// The partners of each atom and each ghost, one list after the other.
struct Neighbours {
  std::vector<std::int64_t> first;  ///< of atom i: partners first[i] to first[i + 1]
  std::vector<std::int32_t> partner;
};

/// Pairs that are closer than cutoff and skin, each in both lists: all pairs of owned atoms, and each pair of
/// an owned atom and a ghost that this rank, and not the ghost's, computes. Which of them does follows from
/// the tags. `x` are positions, with those of images moved there; the first `owned` of them are owned.
Neighbours find_neighbours(std::span<const double> x, std::span<const std::int64_t> tags, std::int64_t owned,
                           const Domain& domain);

}  // namespace lammps
