// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/halo_descriptor.hpp>

#include <algorithm>
#include <functional>
#include <string>

namespace typewarp::halo {
namespace {

void check_dimensions(std::string_view call, std::size_t dimensions) {
  if (dimensions >= 1 && dimensions <= max_dimensions) return;
  throw InvalidArgument(call, "dimensions", static_cast<long long>(dimensions),
                        "must be 1 to " + std::to_string(max_dimensions));
}

}  // namespace

std::vector<Direction> all_directions(std::size_t dimensions) {
  check_dimensions("typewarp::halo::all_directions", dimensions);
  std::vector<Direction> all;
  for (Direction next(dimensions, -1);;) {
    if (std::ranges::any_of(next, [](int step) { return step != 0; })) all.push_back(next);
    std::size_t d = dimensions;
    while (d > 0 && next[d - 1] == 1) next[--d] = -1;
    if (d == 0) return all;
    ++next[d - 1];
  }
}

std::vector<Direction> faces(std::size_t dimensions) {
  check_dimensions("typewarp::halo::faces", dimensions);
  std::vector<Direction> found;
  for (std::size_t d = 0; d < dimensions; ++d) {
    for (const int step : {-1, 1}) {
      found.emplace_back(dimensions, 0)[d] = step;
    }
  }
  return found;
}

Direction opposite(const Direction& direction) {
  Direction other(direction.size());
  std::ranges::transform(direction, other.begin(), std::negate());
  return other;
}

}  // namespace typewarp::halo
