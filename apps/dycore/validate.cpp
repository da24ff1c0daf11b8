// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "dycore/validate.hpp"

#include "common/compare.hpp"
#include "dycore/air.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace dycore {
namespace {

std::span<const double> part(const std::vector<double>& state, int field, const Box& box) {
  const std::int64_t cells = box.shape.points();
  return std::span(state).subspan(static_cast<std::size_t>(planes_before(field, box.levels) * cells),
                                  static_cast<std::size_t>(planes_of(field, box.levels) * cells));
}

}  // namespace

std::vector<double> start_state(const Start& start, const Box& box) {
  std::vector<double> state;
  for (int field = 0; field < fields; ++field) {
    for (std::int64_t plane = 0; plane < planes_of(field, box.levels); ++plane) {
      for (std::int64_t row = 0; row < box.shape.rows; ++row) {
        for (std::int64_t column = 0; column < box.shape.columns; ++column)
          state.push_back(start(field, plane, row, column));
      }
    }
  }
  return state;
}

std::string difference(const std::vector<double>& state, const std::vector<double>& other, const Box& box) {
  for (int field = 0; field < fields; ++field) {
    const std::string found = apps::difference(part(state, field, box), part(other, field, box), box.shape,
                                               std::string(field_names[field]) + " of level");
    if (!found.empty()) return found;
  }
  return "";
}

double imbalance(const std::vector<double>& start, const std::vector<double>& end, const Box& box) {
  double largest = 0;
  for (const int field : {wind_x, wind_y, pressure, temperature}) {
    const double one = apps::imbalance(part(start, field, box), part(end, field, box));
    if (std::isnan(one)) return one;
    largest = std::max(largest, one);
  }
  return largest;
}

std::vector<double> plane_of(const std::vector<double>& state, int field, std::int64_t plane,
                             const Box& box) {
  const auto cells = static_cast<std::size_t>(box.shape.points());
  const std::span one = part(state, field, box).subspan(static_cast<std::size_t>(plane) * cells, cells);
  return {one.begin(), one.end()};
}

}  // namespace dycore
