// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/gpu/cuda/layout/offsets.hpp"
#include "engine/gpu/cuda/layout/view.hpp"

#include <vector>

namespace typewarp::gpu {

/// What Lookup::rank looks into, for one irregular item: where each unit's run lies is found by counting the
/// runs that begin up to it, in constant time (a rank over a bit vector, Jacobson 1989), where 000 bisects
/// the prefix sums of the whole list. Two bits a unit and one list entry a run.
struct RankTable {
  std::vector<RankEntry> entries;
  Offsets displacements;  ///< displacement less packed place
  std::int32_t unit_log2;
};

/// For a node of kind varying whose blocks are runs, with its lists in `lookaside`; all of its lists are
/// multiples of 1 << unit_log2 bytes, and it has fewer than 2^31 such units.
RankTable rank_table(const plan::Node& node, const std::byte* lookaside, std::int32_t unit_log2);

}  // namespace typewarp::gpu
