// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lammps/domain.hpp"

#include <cmath>

namespace lammps {

double cell_side() { return std::cbrt(4 / density); }

Domain make_domain(const Grid& ranks, const Grid& cells, int rank) {
  Domain domain{};
  domain.ranks = ranks;
  domain.position = {rank / (ranks[1] * ranks[2]), rank / ranks[2] % ranks[1], rank % ranks[2]};
  const auto number = [&](Grid at, std::size_t axis, std::int64_t step) {
    at[axis] = (at[axis] + step + ranks[axis]) % ranks[axis];
    return static_cast<int>((at[0] * ranks[1] + at[1]) * ranks[2] + at[2]);
  };
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double side = cell_side() * static_cast<double>(cells[axis]);
    const auto place = static_cast<double>(domain.position[axis]);
    domain.length[axis] = side * static_cast<double>(ranks[axis]);
    domain.low[axis] = side * place;
    domain.high[axis] = side * (place + 1);
    domain.below[axis] = number(domain.position, axis, -1);
    domain.above[axis] = number(domain.position, axis, 1);
  }
  return domain;
}

Image moved(Image image, int axis, int step) {
  constexpr Axes<int> weights{9, 3, 1};
  return static_cast<Image>(image + step * weights[static_cast<std::size_t>(axis)]);
}

}  // namespace lammps
