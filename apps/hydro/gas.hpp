// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/gpu/host_device.hpp"

#include <cmath>
#include <cstdint>

/// The gas of one cell, and what flows between two. The order of operations is fixed here, host and GPU are
/// compiled without contraction to fused multiply-adds, and mirroring or transposing the arguments does the
/// same to each rounding: so results agree to the last bit, and what is symmetric stays so.
namespace hydro {

/// Of a cell: density, momentum down the rows and along the columns, energy, and the densities of four
/// tracers, which the gas carries.
inline constexpr int variables = 8;
inline constexpr int density = 0, momentum = 1, energy = 3;
/// Instead of momenta, energy and densities of tracers, a primitive state has velocities, the pressure and
/// concentrations.
inline constexpr int velocity = 1, pressure = 3, tracers = 4;

/// Ghost cells on each side: a flux needs two cells to either side of it.
inline constexpr std::int64_t ghosts = 2;

inline constexpr double gas_gamma = 1.4;

struct Cell {
  double of[variables];
};

APPS_HOST_DEVICE inline double smaller(double a, double b) { return b < a ? b : a; }
APPS_HOST_DEVICE inline double larger(double a, double b) { return b > a ? b : a; }

/// The larger one, or what is not a number if either is.
APPS_HOST_DEVICE inline double larger_if_numbers(double a, double b) {
  return a >= b || std::isnan(a) ? a : b;
}

APPS_HOST_DEVICE inline double sound_speed(const Cell& q) {
  return std::sqrt(gas_gamma * q.of[pressure] / q.of[density]);
}

APPS_HOST_DEVICE inline double energy_of(const Cell& q) {
  const double square = q.of[velocity] * q.of[velocity] + q.of[velocity + 1] * q.of[velocity + 1];
  return q.of[pressure] / (gas_gamma - 1) + 0.5 * q.of[density] * square;
}

APPS_HOST_DEVICE inline Cell to_primitive(const Cell& u) {
  Cell q = u;
  for (int k = velocity; k < variables; ++k) {
    if (k != pressure) q.of[k] = u.of[k] / u.of[density];
  }
  const double kinetic = u.of[momentum] * q.of[velocity] + u.of[momentum + 1] * q.of[velocity + 1];
  q.of[pressure] = (gas_gamma - 1) * (u.of[energy] - 0.5 * kinetic);
  return q;
}

APPS_HOST_DEVICE inline Cell to_conserved(const Cell& q) {
  Cell u = q;
  for (int k = momentum; k < variables; ++k) {
    if (k != energy) u.of[k] = q.of[density] * q.of[k];
  }
  u.of[energy] = energy_of(q);
  return u;
}

/// The slope of a cell whose neighbours differ from it by `a` before it and by `b` after it (minmod).
APPS_HOST_DEVICE inline double limited(double a, double b) {
  if (a * b <= 0) return 0;
  return std::abs(a) < std::abs(b) ? a : b;
}

/// How fast a primitive state changes, times the edge of a cell, since it has this slope along the axis.
APPS_HOST_DEVICE inline Cell change_along(int axis, const Cell& q, const Cell& slope) {
  const double speed = q.of[velocity + axis];
  Cell change;
  for (int k = 0; k < variables; ++k) {
    change.of[k] = -(speed * slope.of[k]);
  }
  change.of[density] -= q.of[density] * slope.of[velocity + axis];
  change.of[velocity + axis] -= slope.of[pressure] / q.of[density];
  change.of[pressure] -= gas_gamma * q.of[pressure] * slope.of[velocity + axis];
  return change;
}

/// The flux along an axis through the face between two primitive states: Godunov's, by the approximate
/// Riemann solver HLLC, with the bounds of Davis for the slowest and the fastest wave.
APPS_HOST_DEVICE inline Cell flux_along(int axis, const Cell& low, const Cell& high) {
  const int normal = velocity + axis;
  const double low_sound = sound_speed(low), high_sound = sound_speed(high);
  const double slowest = smaller(low.of[normal] - low_sound, high.of[normal] - high_sound);
  const double fastest = larger(low.of[normal] + low_sound, high.of[normal] + high_sound);
  const double low_mass = low.of[density] * (slowest - low.of[normal]);
  const double high_mass = high.of[density] * (fastest - high.of[normal]);
  const double contact =
      ((high.of[pressure] - low.of[pressure]) + (low_mass * low.of[normal] - high_mass * high.of[normal])) /
      (low_mass - high_mass);

  const bool from_low = contact >= 0;
  const Cell& from = from_low ? low : high;
  const double wave = from_low ? slowest : fastest;
  double speed = from.of[normal], push = from.of[pressure], mass = from.of[density], work = energy_of(from);
  if (from_low ? wave < 0 : wave > 0) {  // else all waves go one way
    const double through = from_low ? low_mass : high_mass;
    push += through * (contact - speed);
    work = (work * (wave - speed) + (push * contact - from.of[pressure] * speed)) / (wave - contact);
    mass = through / (wave - contact);
    speed = contact;
  }
  Cell flux;
  flux.of[density] = mass * speed;
  for (int k = momentum; k < variables; ++k) {
    flux.of[k] = flux.of[density] * from.of[k];
  }
  flux.of[momentum + axis] = flux.of[density] * speed + push;
  flux.of[energy] = (work + push) * speed;
  return flux;
}

}  // namespace hydro
