// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/shape.hpp"

#include <cstdint>

namespace stencil2d {

/// Points [row_begin, row_end) x [column_begin, column_end) of a local array, its halo counted in.
struct Region {
  std::int64_t row_begin, row_end;
  std::int64_t column_begin, column_end;
};

/// The part of the global field that one rank owns, and how it lies in that rank's memory: a C-ordered array
/// of `stored_rows()` x `pitch` elements, the owned points surrounded by `halo` rows and columns.
/// Ranks are numbered row by row over the grid. The field is not periodic.
struct Domain {
  apps::Shape grid;              ///< ranks
  apps::Shape position;          ///< of this rank on the grid
  apps::Shape local;             ///< owned points, the same on every rank
  std::int64_t halo;             ///< width of the ghost zone, in points
  std::int64_t pitch;            ///< elements from one row to the next, a multiple of 16 as in SHOC
  int north, south, west, east;  ///< neighbour ranks, no_neighbour at the border of the field

  apps::Shape global() const noexcept { return {grid.rows * local.rows, grid.columns * local.columns}; }
  /// Global position of the first owned point.
  apps::Shape origin() const noexcept {
    return {position.rows * local.rows, position.columns * local.columns};
  }
  std::int64_t stored_rows() const noexcept { return local.rows + 2 * halo; }
  std::int64_t stored_elements() const noexcept { return stored_rows() * pitch; }
  /// Element of the local array at (row, column), the halo counted in.
  std::int64_t at(std::int64_t row, std::int64_t column) const noexcept { return row * pitch + column; }
  /// The owned points and `reach` more towards each neighbour; the border of the field stays fixed.
  Region owned(std::int64_t reach = 0) const noexcept;
};

inline constexpr int no_neighbour = -1;

/// Where `rank` of grid.rows * grid.columns sits, and its neighbours.
Domain make_domain(apps::Shape grid, apps::Shape local, std::int64_t halo, int rank);

}  // namespace stencil2d
