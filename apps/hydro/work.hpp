// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/halo/domain.hpp"
#include "hydro/gas.hpp"

#include <cstdint>

/// What is done for each cell, or face, or number of a message, by the CPU or by a thread of the GPU.
namespace hydro {

APPS_HOST_DEVICE inline Cell load(const double* arrays, const apps::Layout& layout, std::int64_t row,
                                  std::int64_t column) {
  Cell cell;
  for (int k = 0; k < variables; ++k) {
    cell.of[k] = arrays[layout.at(k, row, column)];
  }
  return cell;
}

APPS_HOST_DEVICE inline void store(double* arrays, const apps::Layout& layout, std::int64_t row,
                                   std::int64_t column, const Cell& cell) {
  for (int k = 0; k < variables; ++k) {
    arrays[layout.at(k, row, column)] = cell.of[k];
  }
}

/// The primitive state of each cell, ghosts too.
struct ToPrimitive {
  apps::Layout layout;
  const double* conserved;
  double* primitive;
  APPS_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t row = i / layout.columns, column = i % layout.columns;
    store(primitive, layout, row, column, to_primitive(load(conserved, layout, row, column)));
  }
};

/// The fastest wave in a stretch of an owned column, of `height` cells, or not a number if any is not:
/// threads side by side read cells side by side.
struct FastestWave {
  apps::Layout layout;
  const double* conserved;
  std::int64_t height;
  double* fastest;
  APPS_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t width = layout.columns - 2 * ghosts;
    const std::int64_t first = ghosts + i / width * height, column = ghosts + i % width;
    const std::int64_t last = layout.rows - ghosts < first + height ? layout.rows - ghosts : first + height;
    double most = 0;
    for (std::int64_t row = first; row < last; ++row) {
      const Cell q = to_primitive(load(conserved, layout, row, column));
      const double speed = larger(std::abs(q.of[velocity]), std::abs(q.of[velocity + 1]));
      most = larger_if_numbers(most, speed + sound_speed(q));
    }
    fastest[i] = most;
  }
};

/// The flux through the face before each cell along an axis, in the middle of the step (MUSCL-Hancock). Faces
/// of owned cells only: one more than cells along the axis.
struct Flux {
  apps::Layout layout;
  int axis;
  double courant;  ///< time step over the edge of a cell
  const double* primitive;
  double* flux;

  APPS_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t width = layout.columns - 2 * ghosts + axis;
    const std::int64_t row = ghosts + i / width, column = ghosts + i % width;
    const Cell low = at_face(row - (1 - axis), column - axis, 0.5);
    const Cell high = at_face(row, column, -0.5);
    store(flux, layout, row, column, flux_along(axis, low, high));
  }

  /// The state of a cell half a step later, half a cell further along the axis.
  APPS_HOST_DEVICE Cell at_face(std::int64_t row, std::int64_t column, double half) const {
    const Cell here = load(primitive, layout, row, column);
    const Cell down = slope(here, row, column, 1, 0);
    const Cell right = slope(here, row, column, 0, 1);
    const Cell by_rows = change_along(0, here, down);
    const Cell by_columns = change_along(1, here, right);
    Cell face;
    for (int k = 0; k < variables; ++k) {
      const double later = here.of[k] + 0.5 * courant * (by_rows.of[k] + by_columns.of[k]);
      face.of[k] = later + half * (axis == 0 ? down : right).of[k];
    }
    return face;
  }

  APPS_HOST_DEVICE Cell slope(const Cell& here, std::int64_t row, std::int64_t column, std::int64_t down,
                              std::int64_t right) const {
    Cell found;
    for (int k = 0; k < variables; ++k) {
      const double before = primitive[layout.at(k, row - down, column - right)];
      const double after = primitive[layout.at(k, row + down, column + right)];
      found.of[k] = limited(here.of[k] - before, after - here.of[k]);
    }
    return found;
  }
};

/// Adds to each owned cell what flows in.
struct Update {
  apps::Layout layout;
  double courant;
  const double* down;   ///< fluxes along the rows
  const double* right;  ///< along the columns
  double* conserved;
  APPS_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t width = layout.columns - 2 * ghosts;
    const std::int64_t row = ghosts + i / width, column = ghosts + i % width;
    for (int k = 0; k < variables; ++k) {
      const std::int64_t here = layout.at(k, row, column);
      const double in = (down[here] - down[layout.at(k, row + 1, column)]) +
                        (right[here] - right[layout.at(k, row, column + 1)]);
      conserved[here] += courant * in;
    }
  }
};

}  // namespace hydro
