// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "stencil2d/setup.hpp"

#include "common/collective.hpp"

#include <array>
#include <string>

namespace stencil2d {
namespace {

using apps::Shape;

Shape choose_grid(const Options& options, int ranks) {
  if (!options.grid) {
    std::array<int, 2> sides{};
    MPI_Dims_create(ranks, 2, sides.data());
    return {sides[0], sides[1]};
  }
  const Shape grid = *options.grid;
  if (grid.points() != ranks) {
    const std::string product = std::to_string(grid.rows) + "x" + std::to_string(grid.columns);
    throw apps::Refusal("--grid = " + product + ": has " + std::to_string(grid.points()) +
                        " positions, but the number of ranks is " + std::to_string(ranks));
  }
  return grid;
}

}  // namespace

Setup set_up(const Options& options, MPI_Comm comm) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const Shape grid = choose_grid(options, ranks);
  const apps::Machine machine = apps::use_machine(options.memory, options.picture, comm);
  return {make_domain(grid, options.size, options.halo, rank), machine};
}

}  // namespace stencil2d
