// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "common/compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace apps {

std::string difference(std::span<const double> state, std::span<const double> other, Shape box,
                       const std::string& plane) {
  if (state.size() != other.size()) return "the number of cells";
  for (std::size_t i = 0; i < state.size(); ++i) {
    if (std::memcmp(&state[i], &other[i], sizeof(double)) == 0) continue;
    const auto at = static_cast<std::int64_t>(i);
    const std::int64_t cell = at % box.points();
    return plane + " " + std::to_string(at / box.points()) + " at row " + std::to_string(cell / box.columns) +
           ", column " + std::to_string(cell % box.columns);
  }
  return "";
}

double imbalance(std::span<const double> start, std::span<const double> end) {
  double change = 0, at_start = 0, at_end = 0;
  for (std::size_t i = 0; i < end.size(); ++i) {
    change += end[i] - start[i];
    at_start += std::abs(start[i]);
    at_end += std::abs(end[i]);
  }
  const double all = std::max(at_start, at_end);
  return all > 0 ? std::abs(change) / all : std::abs(change);
}

}  // namespace apps
