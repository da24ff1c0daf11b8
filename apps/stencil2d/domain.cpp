// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "stencil2d/domain.hpp"

namespace stencil2d {
namespace {

constexpr std::int64_t row_padding = 16;

std::int64_t rounded_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

int neighbour(apps::Shape grid, std::int64_t row, std::int64_t column) {
  const bool inside = row >= 0 && row < grid.rows && column >= 0 && column < grid.columns;
  return inside ? static_cast<int>(row * grid.columns + column) : no_neighbour;
}

}  // namespace

Region Domain::owned(std::int64_t reach) const noexcept {
  const auto towards = [reach](int rank) { return rank == no_neighbour ? 0 : reach; };
  return {halo - towards(north), halo + local.rows + towards(south), halo - towards(west),
          halo + local.columns + towards(east)};
}

Domain make_domain(apps::Shape grid, apps::Shape local, std::int64_t halo, int rank) {
  const apps::Shape position{rank / grid.columns, rank % grid.columns};
  const auto at = [&](std::int64_t down, std::int64_t right) {
    return neighbour(grid, position.rows + down, position.columns + right);
  };
  return {.grid = grid,
          .position = position,
          .local = local,
          .halo = halo,
          .pitch = rounded_up(local.columns + 2 * halo, row_padding),
          .north = at(-1, 0),
          .south = at(1, 0),
          .west = at(0, -1),
          .east = at(0, 1)};
}

}  // namespace stencil2d
