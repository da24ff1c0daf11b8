// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lammps/state.hpp"

#include <cmath>
#include <cstring>

namespace lammps {
namespace {

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

}  // namespace

bool operator==(const State& a, const State& b) { return same_bits(a.x, b.x) && same_bits(a.v, b.v); }

double larger(double a, double b) { return std::isnan(a) || a >= b ? a : b; }

double largest_distance(const State& a, const State& b, const Axes<double>& length) {
  if (a.x.size() != b.x.size()) return INFINITY;
  double largest = 0;
  for (std::size_t i = 0; i < a.x.size(); ++i) {
    const double around = length[i % 3];
    const double apart = std::abs(a.x[i] - b.x[i]);
    const double distance = std::abs(apart - around * std::round(apart / around));
    largest = larger(largest, distance);
  }
  return largest;
}

}  // namespace lammps
