// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/halo/domain.hpp"
#include "dycore/air.hpp"

#include <cstdint>

/// What is done for each cell or column that a rank owns, by the CPU or by a thread of the GPU.
namespace dycore {

/// All fields, each in memory of its own.
struct Arrays {
  double* of[fields];
};

/// Where owned cell i lies in an array, if those of all planes are counted one after the other.
APPS_HOST_DEVICE inline std::int64_t owned_cell(const apps::Layout& layout, std::int64_t i) {
  const std::int64_t rows = layout.rows - 2 * ghosts, columns = layout.columns - 2 * ghosts;
  return layout.at(i / columns / rows, ghosts + i / columns % rows, ghosts + i % columns);
}

/// The horizontal diffusion of a field, which stays the same during the stages of a step, and a copy of the
/// field as it is before them.
struct Diffuse {
  apps::Layout layout;
  double coefficient;
  const double* field;
  double* change;
  double* before;
  APPS_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t at = owned_cell(layout, i), row = layout.columns;
    const double* q = field + at;
    const double x = diffusive_flux(q + 1, 1, row) - diffusive_flux(q, 1, row);
    const double y = diffusive_flux(q + row, row, row) - diffusive_flux(q, row, row);
    change[at] = -(coefficient * (x + y));
    before[at] = *q;
  }
};

/// How fast a field changes by horizontal advection and by what drives it.
struct Tendency {
  apps::Layout layout;
  std::int64_t levels;
  Physics physics;
  Arrays air;
  int field;
  double* tendency;

  APPS_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t at = owned_cell(layout, i), row = layout.columns, plane = at / layout.cells();
    if (field == wind_z && (plane == 0 || plane == levels)) {  // the ground and the lid
      tendency[at] = 0;
      return;
    }
    const double x = carried(wind_x, at + 1, 1) - carried(wind_x, at, 1);
    const double y = carried(wind_y, at + row, row) - carried(wind_y, at, row);
    tendency[at] = drive(at) - (x + y);
  }

  /// The flux through the face before a cell along an axis.
  APPS_HOST_DEVICE double carried(int wind, std::int64_t at, std::int64_t stride) const {
    const double speed = 0.5 * (speed_at(wind, at - stride) + speed_at(wind, at));
    return advective_flux(speed, air.of[field] + at, stride);
  }
  APPS_HOST_DEVICE double speed_at(int wind, std::int64_t at) const {
    const double* speed = air.of[wind] + at;
    return field == wind_z ? 0.5 * (speed[-layout.cells()] + speed[0]) : speed[0];
  }

  APPS_HOST_DEVICE double drive(std::int64_t at) const {
    const std::int64_t row = layout.columns, level = layout.cells();
    const double* p = air.of[pressure] + at;
    const double* warmth = air.of[temperature] + at;
    if (field == wind_x) return -(physics.sound * slope(p, 1));
    if (field == wind_y) return -(physics.sound * slope(p, row));
    if (field == wind_z) {
      return physics.buoyancy * (0.5 * (warmth[-level] + warmth[0])) - physics.sound * (p[0] - p[-level]);
    }
    if (field == temperature) return 0;
    const double* up = air.of[wind_z] + at;
    const double divergence =
        slope(air.of[wind_x] + at, 1) + slope(air.of[wind_y] + at, row) + (up[level] - up[0]);
    return -(physics.sound * divergence);
  }
  APPS_HOST_DEVICE static double slope(const double* q, std::int64_t stride) {
    return 0.5 * (q[stride] - q[-stride]);
  }
};

/// A stage of the step: the field after a fraction of it.
struct Advance {
  apps::Layout layout;
  double fraction;
  const double* before;
  const double* tendency;
  const double* diffusion;
  double* field;
  APPS_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t at = owned_cell(layout, i);
    field[at] = before[at] + fraction * (tendency[at] + diffusion[at]);
  }
};

/// Vertical advection and diffusion of a field in one column, implicit in time: the algorithm of Thomas.
/// Nothing flows through ground and lid, where the vertical wind is 0.
struct SolveColumn {
  apps::Layout layout;
  std::int64_t levels;
  double diffusion;
  const double* wind;  ///< vertical; may be the field itself
  bool staggered;      ///< whether the field is that wind, of which only what is inside changes
  double* field;
  double* factors;  ///< memory as large as the field

  /// The upward flux through the bottom of a plane is of_below * q[below] + of_here * q[here].
  struct Flow {
    double of_below, of_here;
  };

  APPS_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t level = layout.cells(), bottom = owned_cell(layout, i);
    double factor = 0, value = 0;
    Flow in = flow(bottom, staggered ? 1 : 0);
    for (std::int64_t k = staggered ? 1 : 0; k < levels; ++k) {
      const std::int64_t at = bottom + k * level;
      const Flow out = flow(bottom, k + 1);  // before the wind is overwritten
      const double pivot = 1 + (out.of_below - in.of_here) + in.of_below * factor;
      value = (field[at] + in.of_below * value) / pivot;
      factor = out.of_here / pivot;
      field[at] = value;
      factors[at] = factor;
      in = out;
    }
    for (std::int64_t k = levels - 2; k >= (staggered ? 1 : 0); --k) {
      const std::int64_t at = bottom + k * level;
      field[at] -= factors[at] * field[at + level];
    }
  }

  APPS_HOST_DEVICE Flow flow(std::int64_t bottom, std::int64_t k) const {
    const double* at = wind + (bottom + k * layout.cells());
    if (!staggered && (k == 0 || k == levels)) return {0, 0};
    const double speed = staggered ? 0.5 * (at[-layout.cells()] + at[0]) : at[0];
    return {0.5 * speed + diffusion, 0.5 * speed - diffusion};
  }
};

}  // namespace dycore
