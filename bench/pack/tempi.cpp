// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "figures/figures.hpp"
#include "problems.hpp"

/// The grid of TEMPI's benchmark of MPI_Pack (cwpearson/tempi): blocks of 1 to 512 bytes every 512 bytes and
/// more, and boxes of bytes in a cube of 1024.
namespace typewarp::bench {
namespace {

constexpr std::int64_t edge = 1024;

/// Two items, of which the second begins where the first ends.
Problem twice(std::int64_t packed, std::int64_t block, std::int64_t stride) {
  return {strided_blocks(packed, block, stride).type, 2};
}

/// Sides of a box, x fastest.
struct Sides {
  std::int64_t x, y, z;
};

Problem box_of_bytes(const Sides& sides) {
  const std::array<HandLevel, 3> levels{HandLevel{1, 0}, HandLevel{sides.z, edge * edge},
                                        HandLevel{sides.y, edge}};
  return {subarray({edge, edge, edge}, {sides.z, sides.y, sides.x}, {0, 0, 0}, Order::c, Named::byte), 1,
          hand_subarray(0, levels, sides.x), Pitched{sides.x, sides.y, edge, sides.z, edge, 0},
          View{1, {sides.z, sides.y, sides.x}, {edge * edge, edge, 1}, 0}};
}

}  // namespace

std::vector<Case> tempi_cases() {
  std::vector<Case> cases;
  for (const std::int64_t packed : {kibi, mebi, 4 * mebi}) {
    for (const std::int64_t block : {1, 2, 4, 8, 32, 64, 128, 256, 512}) {
      for (const std::int64_t stride : {std::int64_t{512}, kibi, mebi, 4 * mebi}) {
        if (packed / block * stride > largest_footprint) continue;
        cases.push_back(moving(
            "tempi", "2d-" + std::to_string(block) + "-s" + std::to_string(stride) + "/" + size_name(packed),
            [=] { return strided_blocks(packed, block, stride); }));
      }
      cases.push_back(moving("tempi", "2d-" + std::to_string(block) + "-s512-twice/" + size_name(packed),
                             [=] { return twice(packed, block, 512); }));
    }
  }
  std::vector<Sides> boxes{{12, 512, 512}, {512, 3, 512}, {512, 512, 3}};
  for (std::int64_t x = 1; x <= edge; x *= 2) boxes.push_back({x, edge, edge / x});
  for (const Sides& sides : boxes) {
    const std::string name =
        "3d/" + std::to_string(sides.x) + "x" + std::to_string(sides.y) + "x" + std::to_string(sides.z);
    cases.push_back(moving("tempi", name, [=] { return box_of_bytes(sides); }));
  }
  return cases;
}

}  // namespace typewarp::bench
