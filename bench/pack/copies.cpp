// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "figures.hpp"
#include "problems.hpp"

/// From one layout straight into another.
namespace typewarp::bench {

std::vector<Case> copy_cases() {
  std::vector<Case> cases;
  const auto add = [&](const std::string& name, std::int64_t packed, const auto& source,
                       const auto& destination) {
    cases.push_back(copying("copy", name + "/" + size_name(packed), [=] {
      return std::pair<Problem, Problem>{source(packed), destination(packed)};
    }));
  };
  for (const std::int64_t packed : {64 * kibi, mebi, 64 * mebi}) {
    const auto blocks = [](std::int64_t block, std::int64_t stride) {
      return [=](std::int64_t bytes) { return strided_blocks(bytes, block, stride); };
    };
    add("vector-8-s64-to-s16", packed, blocks(8, 64), blocks(8, 16));
    add("vector-8-s64-to-s64", packed, blocks(8, 64), blocks(8, 64));
    add("vector-128-s512-to-s256", packed, blocks(128, 512), blocks(128, 256));
    add("vector-8-to-vector-128", packed, blocks(8, 64), blocks(128, 512));
    add("subarray-to-subarray", packed, hypercube, hypercube);
    add("subarray-to-nested", packed, hypercube, nested);
    add(
        "cells-to-vector", packed, [](std::int64_t n) { return cells(n, Sequence::ascending); },
        blocks(8, 16));
    add("varying-to-vector", packed, varying_blocks, blocks(8, 16));
    add("struct-to-struct", packed / 17 * 17, particles, particles);
  }
  for (const std::int64_t n : {256, 2048, 8192}) {
    cases.push_back(copying("copy", "transpose-to-gapless/" + std::to_string(n),
                            [=] { return std::pair{transposed(n, 8), gapless(8 * n * n)}; }));
  }
  return cases;
}

}  // namespace typewarp::bench
