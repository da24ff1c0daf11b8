// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "random_cases.hpp"

#include "problems.hpp"
#include "support/random_type.hpp"

#include <algorithm>

namespace typewarp::bench {
namespace {

constexpr std::uint64_t seeds = 30;
constexpr std::int64_t largest_span = gibi;

/// Null for a type that holds nothing.
Problem items(std::uint64_t seed, std::int64_t bytes) {
  Datatype type = test::random_type(seed, {.max_size = 1024, .max_extent = 1 << 14});
  if (type.size() == 0) return {};
  // Items that would lie upon each other are put side by side.
  const std::int64_t lb = std::min(type.lb(), type.true_lb());
  const std::int64_t span = std::max(type.ub(), type.true_ub()) - lb;
  type = resized(type, lb, std::max(span, type.true_extent()));
  const std::int64_t fitting = largest_span / std::max<std::int64_t>(1, type.extent());
  return {type, std::max<std::int64_t>(1, std::min(bytes / type.size(), fitting))};
}

}  // namespace

std::vector<Case> random_cases() {
  std::vector<Case> cases;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    for (const std::int64_t bytes : {16 * kibi, 512 * kibi, 8 * mebi}) {
      if (items(seed, bytes).type.null()) continue;
      cases.push_back(moving("random", std::to_string(seed) + "/" + size_name(bytes),
                             [=] { return items(seed, bytes); }));
    }
  }
  return cases;
}

}  // namespace typewarp::bench
