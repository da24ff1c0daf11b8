// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/encoding.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace typewarp::cuda {

/// What Lookup::list looks into for an irregular item whose runs are cut into equal units.
struct UnitList {
  std::vector<std::byte> displacements;  ///< of every unit, in packed order: entries of `width` bytes
  std::int32_t width;
};

/// For a node of kind varying whose blocks are runs, with its lists in `lookaside`; the lengths of the runs
/// are multiples of `unit` bytes.
UnitList unit_list(const plan::Node& node, const std::byte* lookaside, std::int64_t unit);

}  // namespace typewarp::cuda
