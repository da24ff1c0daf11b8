// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hacc/block.hpp"

#include <array>
#include <cstdint>

namespace hacc {

/// Blocks of one side each, along x, y and z; block i is at (i / (y z), i / z % y, i % z).
using Grid = std::array<std::int64_t, 3>;

/// Where block `index` is.
Grid position(const Grid& grid, std::int64_t index);

/// Particles of block `index`, if blocks have `mean` on average. 003 gives no lengths, but what a CPU takes
/// to pack the blocks of eight ranks (table 4): a block has the share of the particles that it has of that
/// time.
std::int64_t particles_of(std::int64_t mean, std::int64_t index);

/// Block `index` in host memory, from a seed: particles at random places, and for each of them that is
/// farther from the border than particles are from each other, a complete cell. Numbers of faces and vertices
/// are those of simple polyhedra with 15.5 faces on average, as in a random Voronoi tessellation; which
/// vertices belong to which cell, areas and volumes are drawn, too: nothing is tessellated.
Block generate(std::uint64_t seed, std::int64_t mean, const Grid& grid, std::int64_t index);

}  // namespace hacc
