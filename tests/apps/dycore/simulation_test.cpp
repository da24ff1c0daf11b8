// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "dycore/simulation.hpp"

#include "common/compare.hpp"
#include "dycore/validate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

namespace dycore {
namespace {

using Complex = std::complex<double>;

constexpr apps::Shape shape{12, 16};
constexpr std::int64_t levels = 6;
const Box box{shape, levels};

// What a wave of angle `a` from one cell to the next is multiplied by.
Complex shifted(double a, int cells) { return std::polar(1.0, a * cells); }
/// In a derivative of fifth order, upwind of a positive wind.
Complex derivative(double a) {
  return (-2.0 * shifted(a, -3) + 15.0 * shifted(a, -2) - 60.0 * shifted(a, -1) + 20.0 +
          30.0 * shifted(a, 1) - 3.0 * shifted(a, 2)) /
         60.0;
}
double laplacian(double a) { return 2 * std::cos(a) - 2; }
/// In a step, if it changes at this rate in the stages, besides one that stays.
Complex step(Complex rate, double staying) {
  const Complex first = 1.0 + (rate + staying) / 3.0;
  const Complex second = 1.0 + (rate * first + staying) / 2.0;
  return 1.0 + (rate * second + staying);
}
/// In a step of vertical diffusion, implicit.
double implicit_step(double coefficient, double a) { return 1 / (1 - coefficient * laplacian(a)); }

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

// One wave around the box along columns, and along rows.
constexpr double x_angle = 2 * M_PI / shape.columns, y_angle = 2 * M_PI / shape.rows;
constexpr double x_wind = 0.4, y_wind = 0.3;

/// Temperature as a wave that has been multiplied, in winds that are the same everywhere.
Start wave(Complex factor) {
  return [factor](int field, std::int64_t, std::int64_t row, std::int64_t column) {
    const double angle = static_cast<double>(column) * x_angle + static_cast<double>(row) * y_angle;
    if (field == temperature) return std::real(factor * std::polar(1.0, angle));
    return field == wind_x ? x_wind : field == wind_y ? y_wind : 0.0;
  };
}

TEST_F(OnRanks, AWaveIsCarriedAndDampedAsTheSchemeSays) {
  const Physics physics{.buoyancy = 0};
  const double twice = laplacian(x_angle) + laplacian(y_angle);
  const Complex rate = -(x_wind * derivative(x_angle) + y_wind * derivative(y_angle));
  const Complex once = step(rate, -physics.horizontal * twice * twice);
  EXPECT_LT(std::abs(once), 1);
  const std::vector<double> state = after(50, wave(1), physics);
  expect_near(state, temperature, wave(std::pow(once, 50)), 1e-12);
  expect_near(state, wind_x, wave(1), 1e-13);
}

/// Against the differential equation, with the error of a coarse grid: twelve cells a wave.
TEST_F(OnRanks, AWaveIsCarriedAndDampedAsInNature) {
  const Physics physics{.buoyancy = 0};
  const double square = x_angle * x_angle + y_angle * y_angle;
  const Complex rate(-physics.horizontal * square * square, -(x_wind * x_angle + y_wind * y_angle));
  expect_near(after(20, wave(1), physics), temperature, wave(std::exp(20.0 * rate)), 0.015);
}

/// Fields as cosines, and the vertical wind as a sine that is so small that it carries nothing, all
/// multiplied.
Start modes(double factor, double factor_of_wind) {
  return [=](int field, std::int64_t plane, std::int64_t, std::int64_t) {
    const double angle = 2 * M_PI / levels;
    if (field == wind_z) return 1e-12 * factor_of_wind * std::sin(angle * static_cast<double>(plane));
    return factor * std::cos(angle * (static_cast<double>(plane) + 0.5));
  };
}

TEST_F(OnRanks, VerticalModesDecayAsTheSchemeSays) {
  const Physics physics{.sound = 0, .buoyancy = 0};
  const double once = implicit_step(physics.vertical, 2 * M_PI / levels);
  const double all = std::pow(once, 40);
  const std::vector<double> state = after(40, modes(1, 1), physics);
  for (const int field : {wind_x, wind_y, pressure, temperature}) {
    expect_near(state, field, modes(all, all), 1e-10);
  }
  expect_near(state, wind_z, modes(all, all), 1e-20);
}

/// A sound wave along columns: of wind and pressure, which are equal in one that travels to higher columns.
Start sound(Complex factor) {
  return [factor](int field, std::int64_t, std::int64_t, std::int64_t column) {
    const bool changes = field == wind_x || field == pressure;
    return changes ? 1e-9 * std::real(factor * shifted(x_angle, static_cast<int>(column))) : 0.0;
  };
}

TEST_F(OnRanks, SoundTravelsAsTheSchemeSays) {
  const Physics physics;
  const Complex rate(0, -physics.sound * std::sin(x_angle));
  const Complex once = step(rate, -physics.horizontal * laplacian(x_angle) * laplacian(x_angle));
  const std::vector<double> state = after(30, sound(1), physics);
  for (const int field : {wind_x, pressure}) expect_near(state, field, sound(std::pow(once, 30)), 1e-16);
}

/// Warm air everywhere. What rises carries itself: by the square of its speed.
TEST_F(OnRanks, WarmAirRisesBetweenGroundAndLid) {
  const Physics physics{.sound = 0, .vertical = 0};
  const Start warm = [](int field, std::int64_t, std::int64_t, std::int64_t) {
    return field == temperature ? 1.0 : 0.0;
  };
  const Start risen = [&](int, std::int64_t plane, std::int64_t, std::int64_t) {
    return plane == 0 || plane == levels ? 0.0 : physics.buoyancy;
  };
  expect_near(after(1, warm, physics), wind_z, risen, physics.buoyancy * physics.buoyancy);
}

TEST_F(OnRanks, NothingIsLostAndAllWaysAreEqual) {
  const Start start = bubbles(shape, levels);
  const std::vector<double> at_start = after(0, start, {});
  std::vector<double> first;
  for (const apps::By way : {apps::By::hand, apps::By::mpi, apps::By::typewarp}) {
    const std::vector<double> state = after(60, start, {}, way);
    if (rank_ != 0) continue;
    if (first.empty()) first = state;
    EXPECT_EQ(difference(state, first, box), "") << apps::name(way);
    EXPECT_LE(imbalance(at_start, state, box), apps::largest_imbalance);
  }
  if (rank_ == 0) {
    EXPECT_NE(difference(at_start, first, box), "");
  }
}

}  // namespace
}  // namespace dycore
