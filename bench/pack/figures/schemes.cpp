// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "figures/figures.hpp"
#include "problems.hpp"

/// Paper 001, figure 2: a vector of floats to the host, by three schemes of CUDA's copies.
namespace typewarp::bench {

std::vector<Case> scheme_cases() {
  std::vector<Case> cases;
  for (std::int64_t packed = 16; packed <= 4 * mebi; packed *= 4) {
    const auto make = [=] {
      Problem problem = strided_blocks(packed, 4, 64);
      problem.detour = Detour::schemes;
      return problem;
    };
    cases.push_back(moving("schemes", "vector-4-s64/" + size_name(packed), make, {false, true, true, false}));
  }
  return cases;
}

}  // namespace typewarp::bench
