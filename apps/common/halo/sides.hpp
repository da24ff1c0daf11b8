// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/halo/domain.hpp"

#include <array>

namespace apps {

/// A neighbour, and what goes to it and comes from it.
struct Side {
  int neighbour;
  Strip outgoing, incoming;
};
using Sides = std::array<Side, 2>;  // the lower, the higher

/// Of rows without ghosts.
inline Sides sides_of_rows(const Domain& domain) {
  const std::int64_t rows = domain.owned.rows, ghosts = domain.ghosts;
  const auto strip = [&](std::int64_t row) { return Strip{{row, ghosts}, {ghosts, domain.owned.columns}}; };
  return {Side{domain.neighbour(-1, 0), strip(ghosts), strip(0)},
          Side{domain.neighbour(1, 0), strip(rows), strip(rows + ghosts)}};
}

/// Of whole columns, whose ghosts the rows have filled: so corners need no messages of their own.
inline Sides sides_of_columns(const Domain& domain) {
  const std::int64_t columns = domain.owned.columns, ghosts = domain.ghosts;
  const auto strip = [&](std::int64_t column) { return Strip{{0, column}, {domain.layout().rows, ghosts}}; };
  return {Side{domain.neighbour(0, -1), strip(ghosts), strip(0)},
          Side{domain.neighbour(0, 1), strip(columns), strip(columns + ghosts)}};
}

// Direction of travel: with two ranks in a row, both messages have the same ends.
inline constexpr std::array<int, 2> sent_tags{1, 2}, received_tags{2, 1};

}  // namespace apps
