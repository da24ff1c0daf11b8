// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hydro/validate.hpp"

#include "common/compare.hpp"
#include "common/halo/domain.hpp"
#include "hydro/gas.hpp"

#include <span>

namespace hydro {
namespace {

/// Whether the state equals itself with cell (row, column) taken from `image(row, column)`, and the momenta
/// turned: variable k taken from `turned[k]`, times `sign`.
template <typename Image>
bool same_as(const std::vector<double>& state, apps::Shape box, Image image, const int (&turned)[2],
             const double (&sign)[2]) {
  const apps::Layout layout{box.rows, box.columns};
  for (std::int64_t row = 0; row < box.rows; ++row) {
    for (std::int64_t column = 0; column < box.columns; ++column) {
      const apps::Shape there = image(row, column);
      for (int k = 0; k < variables; ++k) {
        const bool is_momentum = k == momentum || k == momentum + 1;
        const int from = is_momentum ? momentum + turned[k - momentum] : k;
        const double found = state[static_cast<std::size_t>(layout.at(from, there.rows, there.columns))];
        const double expected = is_momentum ? sign[k - momentum] * found : found;
        if (state[static_cast<std::size_t>(layout.at(k, row, column))] != expected) return false;
      }
    }
  }
  return true;
}

}  // namespace

double imbalance(const std::vector<double>& start, const std::vector<double>& end) {
  const std::size_t cells = end.size() / variables;
  double largest = 0;
  for (std::size_t first = 0; first < end.size(); first += cells) {
    const double one =
        apps::imbalance(std::span(start).subspan(first, cells), std::span(end).subspan(first, cells));
    largest = larger_if_numbers(largest, one);
  }
  return largest;
}

bool symmetric(const std::vector<double>& state, apps::Shape box) {
  const auto upside_down = [&](std::int64_t row, std::int64_t column) {
    return apps::Shape{box.rows - 1 - row, column};
  };
  const auto left_to_right = [&](std::int64_t row, std::int64_t column) {
    return apps::Shape{row, box.columns - 1 - column};
  };
  const auto transposed = [](std::int64_t row, std::int64_t column) { return apps::Shape{column, row}; };
  return same_as(state, box, upside_down, {0, 1}, {-1, 1}) &&
         same_as(state, box, left_to_right, {0, 1}, {1, -1}) &&
         (box.rows != box.columns || same_as(state, box, transposed, {1, 0}, {1, 1}));
}

}  // namespace hydro
