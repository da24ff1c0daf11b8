// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "figures.hpp"
#include "problems.hpp"

/// Paper 000, figure 4: time over size for every kind of type.
namespace typewarp::bench {
namespace {

struct Family {
  std::string name;
  std::int64_t most;  ///< packed bytes
  std::function<Problem(std::int64_t)> make;
};

std::vector<Family> families() {
  return {
      {"contiguous", gibi, gapless},
      {"vector-8-s64", gibi, [](std::int64_t packed) { return strided_blocks(packed, 8, 64); }},
      {"vector-8-s512", 256 * mebi, [](std::int64_t packed) { return strided_blocks(packed, 8, 512); }},
      {"vector-128-s512", gibi, [](std::int64_t packed) { return strided_blocks(packed, 128, 512); }},
      {"subarray-4d", 256 * mebi, hypercube},
      {"indexed-8", 256 * mebi, [](std::int64_t packed) { return scattered_blocks(packed, 8); }},
      {"indexed-128", 256 * mebi, [](std::int64_t packed) { return scattered_blocks(packed, 128); }},
      {"indexed-cells", 256 * mebi, [](std::int64_t packed) { return cells(packed, Sequence::ascending); }},
      {"struct-dense", 256 * mebi, particles},
      {"struct-holes", 256 * mebi, mixed}};
}

std::vector<std::int64_t> sizes() {
  std::vector<std::int64_t> result;
  for (std::int64_t size = 64; size <= 4 * mebi; size *= 4) result.push_back(size);
  result.insert(result.end(), {64 * mebi, 256 * mebi, gibi});
  return result;
}

}  // namespace

std::vector<Case> fig4_cases() {
  std::vector<Case> cases;
  for (const Family& family : families()) {
    for (const std::int64_t packed : sizes()) {
      if (packed > family.most) continue;
      cases.push_back(
          moving("fig4", family.name + "/" + size_name(packed), [=] { return family.make(packed); }));
    }
  }
  return cases;
}

}  // namespace typewarp::bench
