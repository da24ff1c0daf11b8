// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/cuda/unit_list.hpp"

#include <algorithm>
#include <limits>

namespace typewarp::cuda {
namespace {

/// `Entry` is the type of the node's lists, `Place` that of the result.
template <typename Entry, typename Place>
void fill(UnitList& list, const plan::Node& node, const Entry* displacements, const Entry* prefix,
          std::int64_t unit) {
  list.width = sizeof(Place);
  list.displacements.resize(static_cast<std::size_t>(node.size / unit) * sizeof(Place));
  auto* place = reinterpret_cast<Place*>(list.displacements.data());
  for (std::int64_t run = 0; run < node.count; ++run) {
    const std::int64_t bytes = std::int64_t{prefix[run + 1]} - prefix[run];
    for (std::int64_t at = 0; at < bytes; at += unit) *place++ = static_cast<Place>(displacements[run] + at);
  }
}

template <typename Entry>
UnitList make(const plan::Node& node, const std::byte* lookaside, std::int64_t unit) {
  const auto* displacements = reinterpret_cast<const Entry*>(lookaside + node.displacements);
  const auto* prefix = reinterpret_cast<const Entry*>(lookaside + node.prefix);
  const auto [low, high] = std::minmax_element(displacements, displacements + node.count);
  UnitList list{};
  // A unit begins before its run ends, so its displacement is less than that of the run plus the item's size.
  if (*low >= std::numeric_limits<std::int32_t>::min() &&
      *high + node.size <= std::numeric_limits<std::int32_t>::max()) {
    fill<Entry, std::int32_t>(list, node, displacements, prefix, unit);
  } else {
    fill<Entry, std::int64_t>(list, node, displacements, prefix, unit);
  }
  return list;
}

}  // namespace

UnitList unit_list(const plan::Node& node, const std::byte* lookaside, std::int64_t unit) {
  return node.width == 4 ? make<std::int32_t>(node, lookaside, unit)
                         : make<std::int64_t>(node, lookaside, unit);
}

}  // namespace typewarp::cuda
