// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/gpu/host_device.hpp"

#include <cmath>
#include <cstdint>

/// The fields of the air, and what flows between two cells. Host and GPU are compiled without contraction to
/// fused multiply-adds, so results agree to the last bit.
namespace dycore {

/// Winds along columns, along rows and upwards, and the deviations of pressure and temperature from those of
/// air at rest. The pressure is over density and speed of sound, so that it is a speed too.
inline constexpr int wind_x = 0, wind_y = 1, wind_z = 2, pressure = 3, temperature = 4;
inline constexpr int fields = 5;
inline constexpr const char* field_names[fields] = {"u", "v", "w", "pressure", "temperature"};

/// Vertical winds are at the bottoms of levels, and at the top of the last one.
APPS_HOST_DEVICE inline std::int64_t planes_of(int field, std::int64_t levels) {
  return field == wind_z ? levels + 1 : levels;
}
/// The number of planes of all fields before this one.
inline std::int64_t planes_before(int field, std::int64_t levels) {
  return field * levels + (field > wind_z ? 1 : 0);
}

/// Ghost cells on each side: an advective flux needs three cells to either side of it.
inline constexpr std::int64_t ghosts = 3;

/// Edges of cells and steps of time are 1.
struct Physics {
  double sound = 0.4;                         ///< speed
  double buoyancy = 2e-3;                     ///< acceleration by a temperature of 1
  double horizontal = 0.01, vertical = 0.02;  ///< coefficients of diffusion: of fourth order, of second order
};

/// The mean flux through the face between q[-stride] and q[0] of what a wind of this speed carries: of fifth
/// order, upwind (Wicker and Skamarock 2002).
APPS_HOST_DEVICE inline double advective_flux(double speed, const double* q, std::int64_t stride) {
  const double low = q[-stride], high = q[0], lower = q[-2 * stride], higher = q[stride];
  const double lowest = q[-3 * stride], highest = q[2 * stride];
  const double centred = 37 * (low + high) - 8 * (lower + higher) + (lowest + highest);
  const double upwind = 10 * (high - low) - 5 * (higher - lower) + (highest - lowest);
  return (speed * centred - std::abs(speed) * upwind) / 60;
}

APPS_HOST_DEVICE inline double horizontal_laplacian(const double* q, std::int64_t row) {
  return (q[-1] + q[1]) + (q[-row] + q[row]) - 4 * q[0];
}

/// The flux of diffusion of fourth order through the face between q[-stride] and q[0], if it is down the
/// gradient: elsewhere it would make new extrema (Xue 2000).
APPS_HOST_DEVICE inline double diffusive_flux(const double* q, std::int64_t stride, std::int64_t row) {
  const double flux = horizontal_laplacian(q, row) - horizontal_laplacian(q - stride, row);
  return flux * (q[0] - q[-stride]) < 0 ? flux : 0;
}

}  // namespace dycore
