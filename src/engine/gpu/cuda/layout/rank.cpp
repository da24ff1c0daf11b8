// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/gpu/cuda/layout/rank.hpp"

#include <algorithm>

namespace typewarp::gpu {
namespace {

constexpr std::int64_t units_per_entry = 32;

/// `Entry` is the type of the node's lists.
template <typename Entry>
Offsets places(const plan::Node& node, const Entry* displacements, const Entry* prefix, std::int64_t unit) {
  std::int64_t low = 0;
  std::int64_t high = 0;
  for (std::int64_t run = 0; run < node.count; ++run) {
    const std::int64_t place = std::int64_t{displacements[run]} - prefix[run];
    low = std::min(low, place);
    high = std::max(high, place);
  }
  Offsets result(node.count, low, high, unit);
  for (std::int64_t run = 0; run < node.count; ++run) {
    result.set(run, std::int64_t{displacements[run]} - prefix[run]);
  }
  return result;
}

template <typename Entry>
RankTable make(const plan::Node& node, const std::byte* lookaside, std::int32_t unit_log2) {
  const auto* displacements = reinterpret_cast<const Entry*>(lookaside + node.displacements);
  const auto* prefix = reinterpret_cast<const Entry*>(lookaside + node.prefix);
  const std::int64_t units = node.size >> unit_log2;
  RankTable table{{}, places(node, displacements, prefix, std::int64_t{1} << unit_log2), unit_log2};
  table.entries.resize(static_cast<std::size_t>((units + units_per_entry - 1) / units_per_entry));
  for (std::int64_t run = 0; run < node.count; ++run) {
    const std::int64_t unit = std::int64_t{prefix[run]} >> unit_log2;
    table.entries[static_cast<std::size_t>(unit / units_per_entry)].begins |= 1u << (unit % units_per_entry);
  }
  // The end counts as a run too, so that the last one is known to end there.
  if (units % units_per_entry != 0) table.entries.back().begins |= 1u << (units % units_per_entry);
  std::uint32_t before = 0;
  for (RankEntry& entry : table.entries) {
    entry.before = before;
    before += static_cast<std::uint32_t>(bits_set(entry.begins));
  }
  return table;
}

}  // namespace

RankTable rank_table(const plan::Node& node, const std::byte* lookaside, std::int32_t unit_log2) {
  return node.width == 4 ? make<std::int32_t>(node, lookaside, unit_log2)
                         : make<std::int64_t>(node, lookaside, unit_log2);
}

}  // namespace typewarp::gpu
