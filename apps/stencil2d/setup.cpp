// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "stencil2d/setup.hpp"

#include "common/grid.hpp"

namespace stencil2d {

Setup set_up(const Options& options, MPI_Comm comm) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const apps::Shape grid = apps::choose_grid(options.grid, ranks);
  const apps::Machine machine = apps::use_machine(options.memory, options.picture, comm);
  return {make_domain(grid, options.size, options.halo, rank), machine};
}

}  // namespace stencil2d
