// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

namespace typewarp::bench {
namespace {

using Clock = std::chrono::steady_clock;

double quantile(const std::vector<double>& sorted, double q) {
  return sorted[static_cast<std::size_t>(std::lround(q * static_cast<double>(sorted.size() - 1)))];
}

double microseconds(const std::function<void()>& operation) {
  const Clock::time_point begin = Clock::now();
  operation();
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

}  // namespace

Sample measure(const std::function<void()>& operation, const Effort& effort) {
  const double first = microseconds(operation);
  if (first > effort.hopeless_us) return {first, first, first};
  std::vector<double> samples;
  double total = 0;
  const auto done = [&] {
    const auto repetitions = static_cast<int>(samples.size());
    if (total >= effort.most_us) return repetitions >= effort.least_when_slow;
    return repetitions >= effort.least && total >= effort.enough_us;
  };
  while (!done()) {
    samples.push_back(microseconds(operation));
    total += samples.back();
  }
  std::ranges::sort(samples);
  return {quantile(samples, 0.5), quantile(samples, 0.1), quantile(samples, 0.9)};
}

}  // namespace typewarp::bench
