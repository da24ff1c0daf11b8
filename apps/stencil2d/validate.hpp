// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stencil2d/domain.hpp"
#include "common/progress.hpp"

#include <cstdint>
#include <vector>

namespace stencil2d {

/// The field after `iterations`, row by row, computed in one piece by code that shares nothing with the
/// parallel run but the initial values and the arithmetic of one point. For float and double.
template <typename T>
std::vector<T> serial_run(apps::Shape global, std::int64_t iterations, apps::Progress& progress);

/// How a field differs from the expected one. Values count as equal if their bits are, so 0 and -0 differ.
/// Where the expected value is infinite or not a number, nothing is compared: a field that has overflowed (a
/// float one may after some 1800 iterations, since SHOC's weights sum to 1.05) no longer tells right from
/// wrong.
struct Difference {
  std::int64_t points = 0;      ///< that differ
  double largest = 0;           ///< absolute; infinite where a point alone is not finite
  apps::Shape first;            ///< position of the first
  std::int64_t not_finite = 0;  ///< points whose expected value is not finite

  /// Whether every point was compared and none differs.
  bool none() const noexcept { return points == 0 && not_finite == 0; }
};

template <typename T>
Difference compare(const std::vector<T>& actual, const std::vector<T>& expected, apps::Shape global);

}  // namespace stencil2d
