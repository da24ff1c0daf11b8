// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lammps/lattice.hpp"

#include <cmath>

namespace lammps {
namespace {

constexpr double temperature = 1.44;
constexpr Axes<Axes<double>> faces{{{0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}}};

/// SplitMix64: the n-th number of a seed, without those before it.
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t n) {
  std::uint64_t z = seed + (n + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// The velocity of an atom along an axis: uniform, with the mean square of the temperature. Atoms 2n and 2n +
/// 1 move opposite ways, so that the momentum of all is zero.
double velocity(std::uint64_t seed, std::int64_t tag, std::size_t axis) {
  const auto pair = static_cast<std::uint64_t>(tag / 2);
  const double unit = static_cast<double>(random_bits(seed, 3 * pair + axis) >> 11) * 0x1p-53;
  const double speed = std::sqrt(3 * temperature) * (2 * unit - 1);
  return tag % 2 == 0 ? speed : -speed;
}

}  // namespace

Start make_start(const Domain& domain, const Grid& cells, std::uint64_t seed) {
  Start start;
  const double side = cell_side();
  const auto add = [&](const Grid& cell, std::int64_t in_cell) {
    const std::int64_t number =
        (cell[0] * cells[1] * domain.ranks[1] + cell[1]) * cells[2] * domain.ranks[2] + cell[2];
    const std::int64_t tag = 4 * number + in_cell;
    start.tags.push_back(tag);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double face = in_cell == 0 ? 0 : faces[static_cast<std::size_t>(in_cell - 1)][axis];
      start.x.push_back((static_cast<double>(cell[axis]) + face) * side);
      start.v.push_back(velocity(seed, tag, axis));
    }
  };
  const auto first = [&](std::size_t axis) { return domain.position[axis] * cells[axis]; };
  for (std::int64_t i = 0; i < cells[0]; ++i) {
    for (std::int64_t j = 0; j < cells[1]; ++j) {
      for (std::int64_t k = 0; k < cells[2]; ++k) {
        for (std::int64_t in_cell = 0; in_cell < 4; ++in_cell) {
          add({first(0) + i, first(1) + j, first(2) + k}, in_cell);
        }
      }
    }
  }
  return start;
}

}  // namespace lammps
