// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hydro/simulation.hpp"

#include "common/compare.hpp"
#include "hydro/validate.hpp"

#include <typewarp/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>

namespace hydro {
namespace {

// Sod's tube: gas at rest that is dense to the left of a membrane and thin to the right of it, and the exact
// solution of its Riemann problem. Density and pressure are 1 to the left.
constexpr double thin = 0.125, thin_pressure = 0.1;
constexpr double contact = 0.927453, shock = 1.752156;                // speeds
constexpr double left_of_contact = 0.426319, right_of_it = 0.265574;  // densities
constexpr double tail = -0.070273;                                    // of the rarefaction

/// The density where distance over time from the membrane is `s`.
double sod(double s) {
  const double sound = std::sqrt(gas_gamma);
  if (s < -sound) return 1;
  if (s < tail) return std::pow((2 - (gas_gamma - 1) * s / sound) / (gas_gamma + 1), 2 / (gas_gamma - 1));
  return s < contact ? left_of_contact : s < shock ? right_of_it : thin;
}

/// Dense gas in the middle half of the cells along an axis: two tubes that look away from each other.
Cell tube(std::int64_t cells, std::int64_t at) {
  const bool dense = at >= cells / 4 && at < cells - cells / 4;
  return {{dense ? 1 : thin, 0, 0, dense ? 1 : thin_pressure, dense ? 1.0 : 0.0, 0, 0, 0}};
}
Cell tube_along_rows(apps::Shape box, std::int64_t row, std::int64_t) { return tube(box.rows, row); }
Cell tube_along_columns(apps::Shape box, std::int64_t, std::int64_t column) {
  return tube(box.columns, column);
}

/// A blast that drifts, so that no total is 0.
Cell drifting(apps::Shape box, std::int64_t row, std::int64_t column) {
  Cell q = blast(box, row, column);
  q.of[velocity] = 0.7;
  q.of[velocity + 1] = -0.3;
  return q;
}

class OnRanks : public testing::Test {
 protected:
  OnRanks() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  }

  /// Box divided along its rows, or its columns.
  apps::Domain rows_of(apps::Shape box) const {
    return {{ranks_, 1}, {box.rows / ranks_, box.columns}, ghosts, rank_};
  }
  apps::Domain columns_of(apps::Shape box) const {
    return {{1, ranks_}, {box.rows, box.columns / ranks_}, ghosts, rank_};
  }

  apps::Place host_{typewarp::MemoryKind::host};
  int rank_ = 0, ranks_ = 1;
};

/// The mean error of the density in tubes of `cells` along one axis, by their exact solution.
double error(const std::vector<double>& state, apps::Shape box, double time) {
  const std::int64_t cells = std::max(box.rows, box.columns),
                     stride = box.rows > box.columns ? box.columns : 1;
  double sum = 0;
  for (std::int64_t i = 0; i < cells; ++i) {
    const double from_middle = std::abs(static_cast<double>(i) + 0.5 - static_cast<double>(cells) / 2);
    const double s = (from_middle - static_cast<double>(cells) / 4) / time;
    sum += std::abs(state[static_cast<std::size_t>(i * stride)] - sod(s));
  }
  return sum / static_cast<double>(cells);
}

TEST_F(OnRanks, TubesAreThoseOfTheExactSolution) {
  const apps::Shape tall{400, 4}, wide{4, 400};
  Simulation down(rows_of(tall), apps::By::hand, tube_along_rows, host_, MPI_COMM_WORLD);
  Simulation right(columns_of(wide), apps::By::hand, tube_along_columns, host_, MPI_COMM_WORLD);
  down.run(250);
  right.run(250);
  EXPECT_EQ(down.time(), right.time());
  EXPECT_GT(down.time(), 40);
  EXPECT_LT(down.time() * shock, 100) << "the shocks have met";
  const std::vector<double> by_rows = down.state(), by_columns = right.state();
  if (rank_ != 0) return;
  const double found = error(by_rows, tall, down.time());
  EXPECT_GT(found, 0);
  EXPECT_LT(found, 0.005);
  EXPECT_EQ(error(by_columns, wide, right.time()), found);
}

TEST_F(OnRanks, NothingIsLostAndAllWaysAreEqual) {
  const apps::Shape box{24, 20};
  std::vector<double> first;
  for (const apps::By way : {apps::By::hand, apps::By::mpi, apps::By::typewarp}) {
    Simulation simulation(columns_of(box), way, drifting, host_, MPI_COMM_WORLD);
    simulation.run(120);
    const std::vector<double> state = simulation.state();
    if (rank_ != 0) continue;
    if (first.empty()) first = state;
    EXPECT_EQ(apps::difference(state, first, box, "variable"), "") << name(way);
    EXPECT_LE(imbalance(start_state(drifting, box), state), apps::largest_imbalance);
    EXPECT_GT(std::accumulate(state.begin() + box.points(), state.begin() + 2 * box.points(), 0.0), 1)
        << "momentum";
  }
}

/// Its pressure is negative in the first row: there it has no speed of sound.
Cell impossible(apps::Shape, std::int64_t row, std::int64_t) {
  return {{1, 0, 0, row == 0 ? -1.0 : 1.0, 1, 0, 0, 0}};
}
Cell still(apps::Shape, std::int64_t, std::int64_t) { return {{1, 0, 0, 0, 1, 0, 0, 0}}; }

/// Other cells of the same stretch, and other ranks, do not hide it.
TEST_F(OnRanks, AStepThatIsNotFiniteIsAnErrorOnAllRanks) {
  const apps::Shape box{24, 20};
  for (const Start start : {impossible, still}) {
    Simulation simulation(rows_of(box), apps::By::hand, start, host_, MPI_COMM_WORLD);
    EXPECT_THROW(simulation.run(1), typewarp::Error);
  }
}

TEST_F(OnRanks, TheStartIsTheState) {
  const apps::Shape box{8, 12};
  const Simulation simulation(columns_of(box), apps::By::hand, blast, host_, MPI_COMM_WORLD);
  const std::vector<double> state = simulation.state();
  if (rank_ != 0) return;
  EXPECT_EQ(apps::difference(state, start_state(blast, box), box, "variable"), "");
}

}  // namespace
}  // namespace hydro
