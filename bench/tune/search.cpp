// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "search.hpp"

#include <algorithm>
#include <limits>

namespace typewarp::tune {

std::vector<std::int64_t> powers(std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> made;
  for (std::int64_t one = first; one <= last; one *= 2) made.push_back(one);
  return made;
}

std::int64_t cheapest(std::span<const std::int64_t> candidates,
                      const std::function<double(std::int64_t)>& cost) {
  std::vector<double> costs;
  for (const std::int64_t candidate : candidates) costs.push_back(cost(candidate));
  return candidates[static_cast<std::size_t>(std::ranges::min_element(costs) - costs.begin())];
}

std::int64_t last_in_a_row(std::span<const std::int64_t> sizes,
                           const std::function<bool(std::int64_t)>& holds, std::int64_t otherwise) {
  std::int64_t last = otherwise;
  for (const std::int64_t size : sizes) {
    if (!holds(size)) break;
    last = size;
  }
  return last;
}

PieceModel fit(std::span<const Timed> measured) {
  // Normal equations of cost * fragments / us + time_of_a_byte * bytes / us = 1.
  double pp = 0, pb = 0, bb = 0, p = 0, b = 0;
  for (const Timed& one : measured) {
    const double x = one.fragments / one.us;
    const double y = one.bytes / one.us;
    pp += x * x;
    pb += x * y;
    bb += y * y;
    p += x;
    b += y;
  }
  const double both = pp * bb - pb * pb;
  const double cost = (p * bb - b * pb) / both;
  const double time_of_a_byte = (b * pp - p * pb) / both;
  if (!(cost > 0)) return {0, bb / b};
  if (!(time_of_a_byte > 0)) return {p / pp, std::numeric_limits<double>::infinity()};
  return {cost, 1 / time_of_a_byte};
}

}  // namespace typewarp::tune
