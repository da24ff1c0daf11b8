// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/gpu/host_device.hpp"

namespace stencil2d {

/// Floating-point operations of one point, as SHOC counts them.
inline constexpr double flops_per_point = 11;

/// The nine-point stencil with SHOC's weights (001, section V-B). The order of operations is fixed here for
/// the serial run, the host and the GPU, and all are compiled without contraction to fused multiply-adds: so
/// their results agree to the last bit.
template <typename T>
APPS_HOST_DEVICE inline T stencil_point(T center, T north, T south, T west, T east, T north_west,
                                        T north_east, T south_west, T south_east) {
  constexpr T center_weight = T(0.25);
  constexpr T cardinal_weight = T(0.15);
  constexpr T diagonal_weight = T(0.05);
  const T cardinal = (north + south) + (west + east);
  const T diagonal = (north_west + north_east) + (south_west + south_east);
  return center_weight * center + cardinal_weight * cardinal + diagonal_weight * diagonal;
}

}  // namespace stencil2d
