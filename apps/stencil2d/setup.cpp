// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "stencil2d/setup.hpp"

#include "common/grid.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace stencil2d {

Setup set_up(const Options& options, MPI_Comm comm) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  using Sides = std::array<std::int64_t, 2>;
  std::optional<Sides> asked;
  if (options.grid) asked = {options.grid->rows, options.grid->columns};
  const Sides grid = apps::choose_grid(asked, ranks);
  const apps::Machine machine = apps::use_machine(options.memory, options.picture, comm);
  return {make_domain({grid[0], grid[1]}, options.size, options.halo, rank), machine};
}

}  // namespace stencil2d
