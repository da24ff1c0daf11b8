// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/collective.hpp"
#include "common/shape.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace apps {

/// Ranks along each axis: the grid that was asked for, else the one that MPI_Dims_create chooses. Throws
/// Refusal if --grid has another number of positions than there are `ranks`; all ranks come to the same end.
template <std::size_t axes>
std::array<std::int64_t, axes> choose_grid(const std::optional<std::array<std::int64_t, axes>>& asked,
                                           int ranks) {
  std::array<std::int64_t, axes> grid{};
  if (!asked) {
    std::array<int, axes> sides{};
    MPI_Dims_create(ranks, static_cast<int>(axes), sides.data());
    std::ranges::copy(sides, grid.begin());
    return grid;
  }
  std::int64_t positions = 1;
  std::string text;
  for (const std::int64_t side : *asked) {
    positions *= side;
    if (!text.empty()) text += 'x';
    text += std::to_string(side);
  }
  if (positions != ranks) {
    throw Refusal("--grid = " + text + ": has " + std::to_string(positions) +
                  " positions, but the number of ranks is " + std::to_string(ranks));
  }
  return *asked;
}

/// The same along two axes.
inline Shape choose_grid(const std::optional<Shape>& asked, int ranks) {
  using Sides = std::array<std::int64_t, 2>;
  const auto [rows, columns] =
      choose_grid(asked ? std::optional(Sides{asked->rows, asked->columns}) : std::nullopt, ranks);
  return {rows, columns};
}

}  // namespace apps
