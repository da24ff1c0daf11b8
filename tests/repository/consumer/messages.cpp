// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/halo.h>
#include <typewarp/p2p.hpp>
#include <typewarp/session.hpp>

#include <array>

/// Rank 0 sends a column to rank 1, which receives a row; the interface of C is there, too.
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool as_expected = false;
  {
    const typewarp::Session session(MPI_COMM_WORLD);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const typewarp::Plan column = typewarp::commit(typewarp::vector(2, 1, 3, typewarp::Named::double_));
    const typewarp::Plan row = typewarp::commit(typewarp::contiguous(2, typewarp::Named::double_));
    const std::array<double, 6> matrix = {0, 1, 2, 3, 4, 5};
    std::array<double, 2> got{};
    if (rank == 0) typewarp::send(&matrix[1], 1, column, 1, 7, MPI_COMM_WORLD);
    if (rank == 1) typewarp::recv(got.data(), 1, row, 0, 7, MPI_COMM_WORLD);
    tw_halo_grid* grid = nullptr;
    const bool refused = tw_halo_grid_create(MPI_COMM_WORLD, 0, nullptr, nullptr, &grid) == TW_ERR_ARGUMENT;
    as_expected = refused && (rank != 1 || got == std::array<double, 2>{1, 4});
  }
  MPI_Finalize();
  return as_expected ? 0 : 1;
}
