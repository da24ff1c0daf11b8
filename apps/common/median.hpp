// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/stopwatch.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace apps {

/// The middle value; of an even number, the upper of the two. `values` is not empty.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Median seconds of one call. Calls are timed in groups long enough for the clock, for about 25 ms in all
/// but at least 5 groups; one call first is not counted.
template <typename Call>
double median_seconds(Call&& call) {
  constexpr double shortest_group = 20e-6;
  constexpr double budget = 25e-3;
  call();
  Stopwatch watch;
  call();
  const double once = std::max(watch.lap(), 1e-9);
  const int calls = static_cast<int>(std::max(1.0, shortest_group / once));
  std::vector<double> samples;
  for (double spent = 0; spent < budget || samples.size() < 5;) {
    watch.lap();
    for (int i = 0; i < calls; ++i) {
      call();
    }
    const double seconds = watch.lap();
    spent += seconds;
    samples.push_back(seconds / calls);
  }
  return median(std::move(samples));
}

}  // namespace apps
