// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/gpu/cuda/layout/unit_list.hpp"

#include <algorithm>

namespace typewarp::gpu {
namespace {

/// `Entry` is the type of the node's lists.
template <typename Entry>
Offsets list_units(const plan::Node& node, const std::byte* lookaside, std::int64_t unit) {
  const auto* displacements = reinterpret_cast<const Entry*>(lookaside + node.displacements);
  const auto* prefix = reinterpret_cast<const Entry*>(lookaside + node.prefix);
  const auto [low, high] = std::minmax_element(displacements, displacements + node.count);
  // A unit begins before its run ends, so its displacement is less than that of the run plus the item's size.
  Offsets list(node.size / unit, *low, *high + node.size, unit);
  std::int64_t place = 0;
  for (std::int64_t run = 0; run < node.count; ++run) {
    const std::int64_t bytes = std::int64_t{prefix[run + 1]} - prefix[run];
    for (std::int64_t at = 0; at < bytes; at += unit) list.set(place++, displacements[run] + at);
  }
  return list;
}

template <typename Entry>
Offsets list_blocks(const plan::Node& node, const std::byte* lookaside, std::int64_t unit) {
  const auto* displacements = reinterpret_cast<const Entry*>(lookaside + node.displacements);
  const auto [low, high] = std::minmax_element(displacements, displacements + node.count);
  Offsets list(node.count, *low, *high, unit);
  for (std::int64_t i = 0; i < node.count; ++i) list.set(i, displacements[i]);
  return list;
}

}  // namespace

Offsets unit_list(const plan::Node& node, const std::byte* lookaside, std::int64_t unit) {
  return node.width == 4 ? list_units<std::int32_t>(node, lookaside, unit)
                         : list_units<std::int64_t>(node, lookaside, unit);
}

Offsets block_list(const plan::Node& node, const std::byte* lookaside, std::int64_t unit) {
  return node.width == 4 ? list_blocks<std::int32_t>(node, lookaside, unit)
                         : list_blocks<std::int64_t>(node, lookaside, unit);
}

}  // namespace typewarp::gpu
