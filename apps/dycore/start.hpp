// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/shape.hpp"
#include "dycore/air.hpp"

#include <cmath>
#include <cstdint>
#include <functional>

namespace dycore {

/// What a box is filled with at the start: the number of a field in a cell of one of its planes.
using Start = std::function<double(int field, std::int64_t plane, std::int64_t row, std::int64_t column)>;

/// Warm air near the ground in the middle, and cold air above it on two sides, in a wind that blows faster
/// and turns with height.
inline Start bubbles(apps::Shape box, std::int64_t levels) {
  const auto part = [](std::int64_t cell, std::int64_t cells) {  // of the way through the box
    return (static_cast<double>(cell) + 0.5) / static_cast<double>(cells);
  };
  /// 1 in the middle of a bubble around there, 0 outside of it.
  const auto bubble = [](double z, double y, double x) {
    const double distance = std::sqrt(z * z + y * y + x * x);
    return distance < 1 ? 0.5 * (1 + std::cos(M_PI * distance)) : 0.0;
  };
  return [=](int field, std::int64_t plane, std::int64_t row, std::int64_t column) {
    const double z = part(plane, levels), y = part(row, box.rows), x = part(column, box.columns);
    if (field == wind_x) return 0.1 + 0.1 * z;
    if (field == wind_y) return 0.1 * z - 0.05;
    if (field != temperature) return 0.0;
    const double warm = bubble((z - 0.3) / 0.3, (y - 0.5) / 0.25, (x - 0.5) / 0.25);
    const double cold = bubble((z - 0.7) / 0.25, (y - 0.25) / 0.2, (x - 0.2) / 0.2) +
                        bubble((z - 0.7) / 0.25, (y - 0.75) / 0.2, (x - 0.8) / 0.2);
    return warm - cold;
  };
}

}  // namespace dycore
