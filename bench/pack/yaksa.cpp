// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "figures/figures.hpp"
#include "problems.hpp"

/// The cases of which yaksa's times are known (yaksa.json).
namespace typewarp::bench {

std::vector<Case> yaksa_cases() {
  const std::vector<std::pair<std::string, std::function<Problem()>>> problems{
      {"vector-128x8-s64", [] { return strided_blocks(kibi, 8, 64); }},
      {"vector-8x128-s512", [] { return strided_blocks(kibi, 128, 512); }},
      {"vector-131072x8-s64", [] { return strided_blocks(mebi, 8, 64); }},
      {"vector-8388608x8-s64", [] { return strided_blocks(64 * mebi, 8, 64); }},
      {"vector-524288x128-s512", [] { return strided_blocks(64 * mebi, 128, 512); }},
      {"face-x-512", [] { return face('x', 512, 1); }},
      {"subarray-16x4d", [] { return hypercube(512 * kibi); }},
      {"hindexed-1-7-doubles", [] { return varying_blocks(4 * mebi); }},
      {"hindexed_block-8388608x8", [] { return cells(64 * mebi, Sequence::ascending); }},
      {"struct-x4096", [] { return particles(std::int64_t{4096} * 17); }},
      {"transpose-2048", [] { return transposed(2048, 8); }}};
  std::vector<Case> cases;
  for (const auto& [name, make] : problems) cases.push_back(moving("yaksa", name, make));
  return cases;
}

}  // namespace typewarp::bench
