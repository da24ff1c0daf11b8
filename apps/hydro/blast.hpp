// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/shape.hpp"
#include "hydro/gas.hpp"

#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace hydro {

/// What a box is filled with at the start: the primitive state of a cell of it.
using Start = Cell (*)(apps::Shape box, std::int64_t row, std::int64_t column);

/// A bubble of hot gas that explodes in the middle, and four clouds of dense gas on the diagonals. Tracers
/// fill the bubble, a ring, the clouds, and the rest. All of it is the same in a mirror, to the last bit.
inline Cell blast(apps::Shape box, std::int64_t row, std::int64_t column) {
  const std::int64_t down = std::abs(2 * row + 1 - box.rows), right = std::abs(2 * column + 1 - box.columns);
  const double edge = static_cast<double>(box.rows < box.columns ? box.columns : box.rows);
  const auto distance = [&](std::int64_t a, std::int64_t b) {  // half the longer edge of the box is 1
    return std::sqrt(static_cast<double>(a * a + b * b)) / edge;
  };
  const double from_middle = distance(down, right);
  const double from_cloud = distance(5 * down - 3 * box.rows, 5 * right - 3 * box.columns) / 5;
  const int part = from_middle < 0.35 ? 0 : from_cloud < 0.25 ? 2 : from_middle < 0.6 ? 1 : 3;
  Cell q{};
  q.of[density] = part == 2 ? 5 : part == 0 ? 3 : 1;
  q.of[pressure] = part == 0 ? 6 : 0.1;
  q.of[tracers + part] = 1;
  return q;
}

}  // namespace hydro
