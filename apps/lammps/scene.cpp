// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lammps/scene.hpp"

#include <algorithm>
#include <cmath>

namespace lammps {
namespace {

constexpr double layer = 0.9;   // about that of one plane of the lattice
constexpr double radius = 0.5;  // the potential is 0 at a distance of 1

}  // namespace

std::vector<double> scene(const State& state, const Axes<double>& length, apps::Shape shape) {
  std::vector<double> field(static_cast<std::size_t>(shape.points()));
  const double down = static_cast<double>(shape.rows) / length[0];
  const double right = static_cast<double>(shape.columns) / length[1];
  const auto draw = [&](double x, double y, double value) {
    for (std::int64_t row = std::llround((x - radius) * down); row < std::llround((x + radius) * down);
         ++row) {
      for (std::int64_t column = std::llround((y - radius) * right);
           column < std::llround((y + radius) * right); ++column) {
        const double dx = (static_cast<double>(row) + 0.5) / down - x;
        const double dy = (static_cast<double>(column) + 0.5) / right - y;
        if (dx * dx + dy * dy > radius * radius) continue;
        const std::int64_t at =
            (row + shape.rows) % shape.rows * shape.columns + (column + shape.columns) % shape.columns;
        field[static_cast<std::size_t>(at)] = value;
      }
    }
  };
  for (std::size_t i = 0; i < state.x.size(); i += 3) {
    if (state.x[i + 2] < layer) draw(state.x[i], state.x[i + 1], state.v[i]);
  }
  return field;
}

}  // namespace lammps
