// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "figures/figures.hpp"

/// Paper 000, figure 4: time over size for every kind of type.
namespace typewarp::bench {

/// Up to 1 GiB, but for vector-8-s512, which would span 64, and indexed-8: lists of 128 Mi blocks take the
/// host seconds to make, and indexed-cells is one.
std::vector<Curve> curves() {
  return {
      {{"contiguous", gapless}, gibi},
      {{"vector-8-s64", [](std::int64_t packed) { return strided_blocks(packed, 8, 64); }}, gibi},
      {{"vector-8-s512", [](std::int64_t packed) { return strided_blocks(packed, 8, 512); }}, 256 * mebi},
      {{"vector-128-s512", [](std::int64_t packed) { return strided_blocks(packed, 128, 512); }}, gibi, 128},
      {{"subarray-4d", hypercube}, gibi},
      {{"indexed-8", [](std::int64_t packed) { return scattered_blocks(packed, 8); }}, 256 * mebi},
      {{"indexed-128", [](std::int64_t packed) { return scattered_blocks(packed, 128); }}, gibi, 128},
      {{"indexed-cells", [](std::int64_t packed) { return cells(packed, Sequence::ascending); }}, gibi},
      {{"struct-dense", particles}, gibi},
      {{"struct-holes", mixed}, gibi}};
}

namespace {

std::vector<std::int64_t> sizes() {
  std::vector<std::int64_t> result;
  for (std::int64_t size = 64; size <= 4 * mebi; size *= 4) result.push_back(size);
  result.insert(result.end(), {64 * mebi, 256 * mebi, gibi});
  return result;
}

}  // namespace

std::vector<Case> fig4_cases() {
  std::vector<Case> cases;
  for (const Curve& curve : curves()) {
    for (const std::int64_t packed : sizes()) {
      if (packed > curve.most || packed < curve.least) continue;
      cases.push_back(
          moving("fig4", curve.name + "/" + size_name(packed), [=] { return curve.make(packed); }));
    }
  }
  return cases;
}

}  // namespace typewarp::bench
