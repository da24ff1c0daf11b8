// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "figures/figures.hpp"
#include "problems.hpp"

/// Paper 000, figure 6: one vector, its block length and its stride swept. To the host, as the papers have
/// it, of 1,024 blocks, and of the lengths of paper 002, figure 5.
namespace typewarp::bench {
namespace {

/// At `packed` bytes, or as many as the footprint allows.
Case swept(const std::string& sweep, std::int64_t packed, std::int64_t block, std::int64_t stride,
           Selection selection = only_device) {
  while (packed / block * stride > largest_footprint) packed /= 4;
  const std::string name =
      sweep + "/" + std::to_string(block) + "-s" + std::to_string(stride) + "/" + size_name(packed);
  return moving("fig6", name, [=] { return strided_blocks(packed, block, stride); }, selection);
}

}  // namespace

std::vector<Case> fig6_cases() {
  std::vector<Case> cases;
  for (const std::int64_t packed : {mebi, 64 * mebi}) {
    for (std::int64_t block = 8; block <= 256; block += 8)
      cases.push_back(swept("block", packed, block, 512));
    for (const std::int64_t stride : {16, 32, 64, 128, 256, 512, 1024, 4096}) {
      cases.push_back(swept("stride", packed, 8, stride));
    }
    for (const std::int64_t block : {1, 2, 4}) {
      for (const std::int64_t stride : {8, 64}) cases.push_back(swept("narrow", packed, block, stride));
    }
  }
  cases.push_back(swept("stride", mebi, 8, mebi));
  for (std::int64_t block = 8; block <= 256; block += 8) {
    cases.push_back(swept("count", 1024 * block, block, 512, only_pinned));
    for (const std::int64_t packed : {8 * kibi, 32 * kibi, 128 * kibi}) {
      cases.push_back(swept("fixed", packed, block, 512, only_pinned));
    }
  }
  return cases;
}

}  // namespace typewarp::bench
