// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

namespace lammps {

/// One value for each of the axes x, y and z.
template <typename T>
using Axes = std::array<T, 3>;

/// Unit cells of the lattice, each with four atoms, or ranks along each axis.
using Grid = Axes<std::int64_t>;

/// The part of the periodic box that one rank owns. Ranks are numbered along z first.
struct Domain {
  Grid ranks;
  Grid position;        ///< of this rank
  Axes<double> length;  ///< of the box
  Axes<double> low, high;
  Axes<int> below, above;  ///< neighbour ranks, this rank itself where there is one along an axis
};

/// Reduced density and cutoffs of LAMMPS's Lennard-Jones benchmark.
inline constexpr double density = 0.8442;
inline constexpr double cutoff = 2.5;
inline constexpr double skin = 0.3;
/// How far away partners of an atom are found, and so ghosts come from.
inline constexpr double reach = cutoff + skin;
/// In reduced units.
inline constexpr double time_step = 0.005;

/// Side of a unit cell.
double cell_side();

/// Where `rank` sits, if each owns `cells`.
Domain make_domain(const Grid& ranks, const Grid& cells, int rank);

/// A position is that of an atom, or of one of its 26 images: 9 (a + 1) + 3 (b + 1) + c + 1, where a, b and
/// c, each -1, 0 or 1, are the lengths of the box that it is away along x, y and z.
using Image = std::uint8_t;
inline constexpr Image no_image = 13;

/// That image, one length of the box further along an axis (`step` is -1 or 1), or the same one (0).
Image moved(Image image, int axis, int step);

}  // namespace lammps
