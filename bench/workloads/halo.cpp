// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo.hpp"

namespace typewarp::bench {
namespace {

/// In one dimension: `size` cells from `start` on.
struct Slab {
  std::int64_t size, start;
};

/// On side -1, 0 (all of the interior) or +1.
Slab slab(int where, std::int64_t interior, std::int64_t width, HaloSide side) {
  if (where == 0) return {interior, width};
  const std::int64_t inner = where < 0 ? width : interior;
  const std::int64_t outer = where < 0 ? 0 : interior + width;
  return {width, side == HaloSide::sent ? inner : outer};
}

}  // namespace

std::vector<Datatype> halo_regions(std::int64_t interior, std::int64_t width, HaloSide side) {
  constexpr int directions = 27;
  constexpr int nowhere = 13;
  const std::int64_t edge = interior + 2 * width;
  std::vector<Datatype> result;
  for (int direction = 0; direction < directions; ++direction) {
    if (direction == nowhere) continue;
    const Slab z = slab(direction / 9 - 1, interior, width, side);
    const Slab y = slab(direction / 3 % 3 - 1, interior, width, side);
    const Slab x = slab(direction % 3 - 1, interior, width, side);
    result.push_back(subarray({edge, edge, edge}, {z.size, y.size, x.size}, {z.start, y.start, x.start},
                              Order::c, Named::double_));
  }
  return result;
}

Datatype halo_of_fields(const std::vector<Datatype>& regions, std::int64_t fields, std::int64_t field_bytes) {
  std::vector<std::int64_t> displacements;
  std::vector<Datatype> members;
  for (std::int64_t field = 0; field < fields; ++field) {
    for (const Datatype& region : regions) {
      displacements.push_back(field * field_bytes);
      members.push_back(region);
    }
  }
  return structure(std::vector<std::int64_t>(members.size(), 1), displacements, members);
}

}  // namespace typewarp::bench
