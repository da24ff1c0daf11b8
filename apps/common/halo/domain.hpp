// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/gpu/host_device.hpp"
#include "common/shape.hpp"

#include <cstdint>

namespace apps {

/// A rank's part of a box in memory: planes of `rows` x `columns` cells, ghosts included, one after the
/// other.
struct Layout {
  std::int64_t rows, columns;

  APPS_HOST_DEVICE std::int64_t cells() const { return rows * columns; }
  APPS_HOST_DEVICE std::int64_t at(std::int64_t plane, std::int64_t row, std::int64_t column) const {
    return (plane * rows + row) * columns + column;
  }
};

/// A rectangle of cells, in all planes.
struct Strip {
  Shape start;  ///< ghosts counted in
  Shape size;
};

/// What one rank owns of a box that repeats along rows and columns, whatever its planes are. Ranks are
/// numbered row by row.
struct Domain {
  Shape ranks;
  Shape owned;          ///< cells, the same on every rank
  std::int64_t ghosts;  ///< cells on each side, at most as many as any rank owns
  int rank;

  Layout layout() const noexcept { return {owned.rows + 2 * ghosts, owned.columns + 2 * ghosts}; }
  Strip interior() const noexcept { return {{ghosts, ghosts}, owned}; }
  Shape global() const noexcept { return {ranks.rows * owned.rows, ranks.columns * owned.columns}; }
  /// Global position of the first cell of a rank.
  Shape origin(int of_rank) const noexcept {
    return {of_rank / ranks.columns * owned.rows, of_rank % ranks.columns * owned.columns};
  }
  /// The rank that lies so many rows and columns of ranks away.
  int neighbour(std::int64_t down, std::int64_t right) const noexcept {
    const std::int64_t row = (rank / ranks.columns + down + ranks.rows) % ranks.rows;
    const std::int64_t column = (rank % ranks.columns + right + ranks.columns) % ranks.columns;
    return static_cast<int>(row * ranks.columns + column);
  }
};

}  // namespace apps
