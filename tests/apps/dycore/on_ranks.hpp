// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dycore/simulation.hpp"
#include "dycore/validate.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace dycore {

inline constexpr apps::Shape shape{12, 16};
inline constexpr std::int64_t levels = 6;
inline const Box box{shape, levels};

/// Runs simulations of one box on all ranks.
class OnRanks : public testing::Test {
 protected:
  OnRanks() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  }
  apps::Domain domain() const { return {{1, ranks_}, {shape.rows, shape.columns / ranks_}, ghosts, rank_}; }

  /// Of rank 0.
  std::vector<double> after(std::int64_t steps, const Start& start, const Physics& physics,
                            apps::By way = apps::By::hand) const {
    Simulation simulation(domain(), levels, way, start, physics, host_, MPI_COMM_WORLD);
    simulation.run(steps);
    return simulation.state();
  }

  /// On rank 0, that the numbers of a field in all planes are those of `expected`.
  void expect_near(const std::vector<double>& state, int field, const Start& expected, double error) const {
    if (rank_ != 0) return;
    for (std::int64_t plane = 0; plane < planes_of(field, levels); ++plane) {
      const std::vector<double> found = plane_of(state, field, plane, box);
      for (std::int64_t row = 0; row < shape.rows; ++row) {
        for (std::int64_t column = 0; column < shape.columns; ++column) {
          ASSERT_NEAR(found[static_cast<std::size_t>(row * shape.columns + column)],
                      expected(field, plane, row, column), error)
              << field_names[field] << " " << plane << " " << row << " " << column;
        }
      }
    }
  }

  apps::Place host_{typewarp::MemoryKind::host};
  int rank_ = 0, ranks_ = 1;
};

}  // namespace dycore
