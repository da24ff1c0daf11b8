// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/cuda/rank.hpp"

#include <algorithm>
#include <limits>

namespace typewarp::cuda {
namespace {

constexpr std::int64_t units_per_entry = 32;

/// `Entry` is the type of the node's lists, `Place` that of the result.
template <typename Entry, typename Place>
void fill(RankTable& table, const plan::Node& node, const Entry* displacements, const Entry* prefix) {
  table.width = sizeof(Place);
  table.displacements.resize(static_cast<std::size_t>(node.count) * sizeof(Place));
  auto* places = reinterpret_cast<Place*>(table.displacements.data());
  for (std::int64_t run = 0; run < node.count; ++run) {
    places[run] = static_cast<Place>(std::int64_t{displacements[run]} - prefix[run]);
    const std::int64_t unit = std::int64_t{prefix[run]} >> table.unit_log2;
    table.entries[static_cast<std::size_t>(unit / units_per_entry)].begins |= 1u << (unit % units_per_entry);
  }
  // The end counts as a run too, so that the last one is known to end there.
  const std::int64_t units = node.size >> table.unit_log2;
  if (units % units_per_entry != 0) table.entries.back().begins |= 1u << (units % units_per_entry);
  std::uint32_t before = 0;
  for (RankEntry& entry : table.entries) {
    entry.before = before;
    before += static_cast<std::uint32_t>(bits_set(entry.begins));
  }
}

template <typename Entry>
bool narrow(const plan::Node& node, const Entry* displacements, const Entry* prefix) {
  std::int64_t low = 0;
  std::int64_t high = 0;
  for (std::int64_t run = 0; run < node.count; ++run) {
    const std::int64_t place = std::int64_t{displacements[run]} - prefix[run];
    low = std::min(low, place);
    high = std::max(high, place);
  }
  return low >= std::numeric_limits<std::int32_t>::min() && high <= std::numeric_limits<std::int32_t>::max();
}

template <typename Entry>
RankTable make(const plan::Node& node, const std::byte* lookaside, std::int32_t unit_log2) {
  const auto* displacements = reinterpret_cast<const Entry*>(lookaside + node.displacements);
  const auto* prefix = reinterpret_cast<const Entry*>(lookaside + node.prefix);
  const std::int64_t units = node.size >> unit_log2;
  RankTable table{{}, {}, 0, unit_log2};
  table.entries.resize(static_cast<std::size_t>((units + units_per_entry - 1) / units_per_entry));
  if (narrow(node, displacements, prefix)) {
    fill<Entry, std::int32_t>(table, node, displacements, prefix);
  } else {
    fill<Entry, std::int64_t>(table, node, displacements, prefix);
  }
  return table;
}

}  // namespace

RankTable rank_table(const plan::Node& node, const std::byte* lookaside, std::int32_t unit_log2) {
  return node.width == 4 ? make<std::int32_t>(node, lookaside, unit_log2)
                         : make<std::int64_t>(node, lookaside, unit_log2);
}

}  // namespace typewarp::cuda
