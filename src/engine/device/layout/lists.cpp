// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/layout/lists.hpp"

#include "layout/node.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace typewarp::gpu {
namespace {

constexpr std::int64_t units_per_entry = 32;

std::int64_t displacement(const plan::EncodedNode& node, const std::byte* lookaside, std::int64_t i) {
  return plan::entry(lookaside + node.displacements, node.width, i);
}

/// Packed bytes before run `i`.
std::int64_t prefix(const plan::EncodedNode& node, const std::byte* lookaside, std::int64_t i) {
  return plan::entry(lookaside + node.prefix, node.width, i);
}

/// The least and the greatest of value(0), ..., value(count - 1).
template <typename Value>
std::pair<std::int64_t, std::int64_t> bounds(std::int64_t count, const Value& value) {
  std::pair<std::int64_t, std::int64_t> found{value(0), value(0)};
  for (std::int64_t i = 1; i < count; ++i) {
    found = {std::min(found.first, value(i)), std::max(found.second, value(i))};
  }
  return found;
}

}  // namespace

bool lists_runs(const plan::Encoding& encoding, std::size_t index) {
  const plan::EncodedNode& node = encoding.nodes[index];
  return node.kind == plan::Kind::varying && node.stride == node.child_size &&
         encoding.nodes[index + 1].kind == plan::Kind::run;
}

plan::Encoding flattened(const plan::Encoding& encoding, std::size_t index) {
  layout::Blocks runs{{}, {}, 1, layout::run(1)};
  const std::int64_t size = encoding.nodes[index].size;
  for (std::int64_t packed = 0; packed < size;) {
    const plan::Location found = plan::locate(encoding.view(), 0, packed);
    const std::int64_t bytes = std::min(found.run, size - packed);
    if (!runs.counts.empty() && found.offset == runs.displacements.back() + runs.counts.back()) {
      runs.counts.back() += bytes;
    } else {
      runs.displacements.push_back(found.offset);
      runs.counts.push_back(bytes);
    }
    packed += bytes;
  }
  return plan::encode(*layout::blocks(std::move(runs)));
}

double average_run(const plan::EncodedNode& list) {
  return static_cast<double>(list.size) / static_cast<double>(list.count);
}

double shortest_run(const plan::Encoding& encoding) {
  double shortest = static_cast<double>(encoding.nodes[0].size);
  for (std::size_t i = 0; i < encoding.nodes.size(); ++i) {
    const plan::EncodedNode& node = encoding.nodes[i];
    if (lists_runs(encoding, i)) {
      shortest = std::min(shortest, average_run(node));
      ++i;  // the byte that such a list counts
    } else if (node.kind == plan::Kind::run) {
      shortest = std::min(shortest, static_cast<double>(node.size));
    }
  }
  return shortest;
}

Offsets::Offsets(std::int64_t count, std::int64_t low, std::int64_t high, std::int64_t unit) {
  using Narrow = std::numeric_limits<std::int32_t>;
  const auto fit = [&](int scale) { return low >> scale >= Narrow::min() && high >> scale <= Narrow::max(); };
  constexpr int most = 30;  // so that the scale is a number of 4 bytes too
  const int unit_log2 = std::min(std::countr_zero(static_cast<std::uint64_t>(unit)), most);
  if (!fit(0)) {
    if (fit(unit_log2)) {
      scale_log2_ = unit_log2;
    } else {
      width_ = sizeof(std::int64_t);
    }
  }
  bytes_.resize(static_cast<std::size_t>(count * width_));
}

Offsets unit_list(const plan::EncodedNode& node, const std::byte* lookaside, std::int64_t unit) {
  const auto place = [&](std::int64_t run) { return displacement(node, lookaside, run); };
  const auto [low, high] = bounds(node.count, place);
  // A unit begins before its run ends, so its displacement is less than that of the run plus the item's size.
  Offsets list(node.size / unit, low, high + node.size, unit);
  std::int64_t next = 0;
  for (std::int64_t run = 0; run < node.count; ++run) {
    const std::int64_t bytes = prefix(node, lookaside, run + 1) - prefix(node, lookaside, run);
    for (std::int64_t at = 0; at < bytes; at += unit) list.set(next++, place(run) + at);
  }
  return list;
}

Offsets block_list(const plan::EncodedNode& node, const std::byte* lookaside, std::int64_t unit) {
  const auto place = [&](std::int64_t block) { return displacement(node, lookaside, block); };
  const auto [low, high] = bounds(node.count, place);
  Offsets list(node.count, low, high, unit);
  for (std::int64_t block = 0; block < node.count; ++block) list.set(block, place(block));
  return list;
}

RankTable rank_table(const plan::EncodedNode& node, const std::byte* lookaside, std::int32_t unit_log2) {
  const auto place = [&](std::int64_t run) {
    return displacement(node, lookaside, run) - prefix(node, lookaside, run);
  };
  const auto [low, high] = bounds(node.count, place);
  const std::int64_t units = node.size >> unit_log2;
  RankTable table{{}, {node.count, low, high, std::int64_t{1} << unit_log2}, unit_log2};
  table.entries.resize(static_cast<std::size_t>((units + units_per_entry - 1) / units_per_entry));
  const auto begin_at = [&](std::int64_t unit) {
    table.entries[static_cast<std::size_t>(unit / units_per_entry)].begins |= 1u << (unit % units_per_entry);
  };
  for (std::int64_t run = 0; run < node.count; ++run) {
    table.displacements.set(run, place(run));
    begin_at(prefix(node, lookaside, run) >> unit_log2);
  }
  // The end counts as a run too, so that the last one is known to end there.
  if (units % units_per_entry != 0) begin_at(units);
  std::uint32_t before = 0;
  for (RankEntry& entry : table.entries) {
    entry.before = before;
    before += static_cast<std::uint32_t>(bits_set(entry.begins));
  }
  return table;
}

}  // namespace typewarp::gpu
