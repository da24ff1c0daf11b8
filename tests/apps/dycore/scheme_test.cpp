// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "on_ranks.hpp"

#include <cmath>
#include <complex>
#include <utility>

namespace dycore {
namespace {

using Complex = std::complex<double>;

/// The amplitude of a wave that carries nothing, and drives nothing by its square.
constexpr double tiny = 1e-9, error_of_tiny = 1e-16;

// One wave around the box along columns, and along rows, and the wind along each.
constexpr double x_angle = 2 * M_PI / shape.columns, y_angle = 2 * M_PI / shape.rows;
constexpr std::pair<int, double> axes[] = {{wind_x, x_angle}, {wind_y, y_angle}};

Complex wave_along(int wind, std::int64_t row, std::int64_t column) {
  return std::polar(
      1.0, static_cast<double>(wind == wind_x ? column : row) * (wind == wind_x ? x_angle : y_angle));
}

// What a wave of angle `a` from one cell to the next is multiplied by.
Complex shifted(double a, int cells) { return std::polar(1.0, a * cells); }
/// In a derivative of fifth order, upwind of a positive wind.
Complex derivative(double a) {
  return (-2.0 * shifted(a, -3) + 15.0 * shifted(a, -2) - 60.0 * shifted(a, -1) + 20.0 +
          30.0 * shifted(a, 1) - 3.0 * shifted(a, 2)) /
         60.0;
}
double laplacian(double a) { return 2 * std::cos(a) - 2; }
/// The factor of one step; `staying` is the part of the rate that is computed once.
Complex step(Complex rate, double staying) {
  const Complex first = 1.0 + (rate + staying) / 3.0;
  const Complex second = 1.0 + (rate * first + staying) / 2.0;
  return 1.0 + (rate * second + staying);
}
/// In a step of vertical diffusion, implicit.
double implicit_step(double coefficient, double a) { return 1 / (1 - coefficient * laplacian(a)); }

constexpr double x_wind = 0.4, y_wind = 0.3;

/// Temperature as a wave that has been multiplied, in winds that are the same everywhere.
Start wave(Complex factor) {
  return [factor](int field, std::int64_t, std::int64_t row, std::int64_t column) {
    if (field == temperature)
      return std::real(factor * wave_along(wind_x, row, column) * wave_along(wind_y, row, column));
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

/// A tiny wave of one field after some steps, in a wind along its axis that blows faster higher up.
Start carried(int by_wind, double angle, int carried_field, int steps) {
  const auto speed = [](std::int64_t plane) { return 0.1 + 0.05 * static_cast<double>(plane); };
  return [=](int field, std::int64_t plane, std::int64_t row, std::int64_t column) {
    if (field == by_wind) return speed(plane);
    if (field != carried_field) return 0.0;
    if (field == wind_z && (plane == 0 || plane == levels)) return 0.0;
    const double around = field == wind_z ? 0.5 * (speed(plane - 1) + speed(plane)) : speed(plane);
    const Complex factor = std::pow(step(-around * derivative(angle), 0), steps);
    return tiny * std::real(factor * wave_along(by_wind, row, column));
  };
}

TEST_F(OnRanks, AllFieldsAreCarriedByTheWindAroundThem) {
  const Physics physics{.sound = 0, .buoyancy = 0, .horizontal = 0, .vertical = 0};
  for (const auto& [wind, angle] : axes) {
    for (int field = 0; field < fields; ++field) {
      if (field == wind) continue;
      const std::vector<double> state = after(10, carried(wind, angle, field, 0), physics);
      expect_near(state, field, carried(wind, angle, field, 10), error_of_tiny);
    }
  }
}

/// Columns that differ from level to level, in a wind that blows upwards between ground and lid. The state
/// after one step must solve the implicit equations.
TEST_F(OnRanks, ColumnsAreCarriedUp) {
  const Physics physics{.sound = 0, .buoyancy = 0, .vertical = 0};
  const auto up = [](std::int64_t plane) {
    return plane == 0 || plane == levels ? 0.0 : 0.2 + 0.05 * static_cast<double>(plane);
  };
  const Start start = [&](int field, std::int64_t plane, std::int64_t, std::int64_t) {
    return field == wind_z ? up(plane) : std::sin(static_cast<double>(5 * field + plane));
  };
  const std::vector<double> state = after(1, start, physics);
  if (rank_ != 0) return;
  for (int field = 0; field < fields; ++field) {
    const auto at = [&](std::int64_t plane) { return plane_of(state, field, plane, box).back(); };
    const auto flux_below = [&](std::int64_t plane) {
      const double speed = field == wind_z ? 0.5 * (up(plane - 1) + up(plane)) : up(plane);
      return speed == 0 ? 0 : speed * 0.5 * (at(plane - 1) + at(plane));
    };
    for (std::int64_t plane = field == wind_z ? 1 : 0; plane < levels; ++plane) {
      EXPECT_NEAR(at(plane) + flux_below(plane + 1) - flux_below(plane), start(field, plane, 0, 0), 1e-14)
          << field_names[field] << " " << plane;
    }
  }
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

/// A sound wave along an axis: of wind and pressure, which are equal in one that travels to higher cells.
Start sound(int wind, Complex factor) {
  return [=](int field, std::int64_t, std::int64_t row, std::int64_t column) {
    const bool changes = field == wind || field == pressure;
    return changes ? tiny * std::real(factor * wave_along(wind, row, column)) : 0.0;
  };
}

TEST_F(OnRanks, SoundTravelsAsTheSchemeSays) {
  const Physics physics;
  for (const auto& [wind, angle] : axes) {
    const Complex rate(0, -physics.sound * std::sin(angle));
    const Complex all = std::pow(step(rate, -physics.horizontal * laplacian(angle) * laplacian(angle)), 30);
    const std::vector<double> state = after(30, sound(wind, 1), physics);
    for (const int field : {wind, pressure}) expect_near(state, field, sound(wind, all), error_of_tiny);
  }
}

/// Half a wave of sound between ground and lid: its real part is pressure, the imaginary one vertical wind.
Start standing(Complex factor) {
  return [factor](int field, std::int64_t plane, std::int64_t, std::int64_t) {
    const double angle = M_PI / levels, height = static_cast<double>(plane);
    if (field == pressure) return tiny * factor.real() * std::cos(angle * (height + 0.5));
    return field == wind_z ? tiny * factor.imag() * std::sin(angle * height) : 0.0;
  };
}

TEST_F(OnRanks, SoundStandsBetweenGroundAndLid) {
  const Physics physics{.buoyancy = 0, .vertical = 0};
  const Complex rate(0, 2 * physics.sound * std::sin(M_PI / levels / 2));
  const std::vector<double> state = after(20, standing(1), physics);
  for (const int field : {pressure, wind_z})
    expect_near(state, field, standing(std::pow(step(rate, 0), 20)), error_of_tiny);
}

/// Air that is warmer higher up. What rises carries itself: by the square of its speed.
TEST_F(OnRanks, WarmAirRisesBetweenGroundAndLid) {
  const Physics physics{.sound = 0, .vertical = 0};
  const Start warm = [](int field, std::int64_t plane, std::int64_t, std::int64_t) {
    return field == temperature ? static_cast<double>(plane) : 0.0;
  };
  const Start risen = [&](int, std::int64_t plane, std::int64_t, std::int64_t) {
    const double between = static_cast<double>(plane) - 0.5;
    return plane == 0 || plane == levels ? 0.0 : physics.buoyancy * between;
  };
  expect_near(after(1, warm, physics), wind_z, risen, std::pow(physics.buoyancy * levels, 2));
}

}  // namespace
}  // namespace dycore
