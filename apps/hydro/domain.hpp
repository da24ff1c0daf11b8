// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/gpu/host_device.hpp"
#include "common/shape.hpp"
#include "hydro/gas.hpp"

#include <cstdint>

namespace hydro {

/// Ghost cells on each side: a flux needs two cells to either side of it.
inline constexpr std::int64_t ghosts = 2;

/// A rank's part of the box in memory: for each variable an array of `rows` x `columns` cells, ghosts
/// included.
struct Layout {
  std::int64_t rows, columns;

  std::int64_t cells() const noexcept { return rows * columns; }
  std::int64_t bytes() const noexcept {
    return variables * cells() * static_cast<std::int64_t>(sizeof(double));
  }
  APPS_HOST_DEVICE std::int64_t at(int variable, std::int64_t row, std::int64_t column) const {
    return (variable * rows + row) * columns + column;
  }
};

/// Cells of all variables.
struct Strip {
  apps::Shape start;  ///< ghosts counted in
  apps::Shape size;
  std::int64_t numbers() const noexcept { return variables * size.points(); }
};

/// What one rank owns of a box that repeats in both directions. Ranks are numbered row by row.
struct Domain {
  apps::Shape ranks;
  apps::Shape owned;  ///< cells, the same on every rank
  int rank;

  Layout layout() const noexcept { return {owned.rows + 2 * ghosts, owned.columns + 2 * ghosts}; }
  Strip interior() const noexcept { return {{ghosts, ghosts}, owned}; }
  apps::Shape global() const noexcept { return {ranks.rows * owned.rows, ranks.columns * owned.columns}; }
  /// Global position of the first cell of a rank.
  apps::Shape origin(int of_rank) const noexcept {
    return {of_rank / ranks.columns * owned.rows, of_rank % ranks.columns * owned.columns};
  }
  /// The rank that lies so many rows and columns of ranks away.
  int neighbour(std::int64_t down, std::int64_t right) const noexcept {
    const std::int64_t row = (rank / ranks.columns + down + ranks.rows) % ranks.rows;
    const std::int64_t column = (rank % ranks.columns + right + ranks.columns) % ranks.columns;
    return static_cast<int>(row * ranks.columns + column);
  }
};

}  // namespace hydro
