// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/kernels/pattern_move.hpp"
#include "plan/state.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace typewarp::test {

/// Items of a few short runs, in any order and any distance apart, the same for the same seed, of `size`
/// bytes together unless that is 0. No byte appears twice, however many items there are.
inline Datatype small_item(std::uint64_t seed, std::int64_t size = 0) {
  Random random(seed);
  std::vector<std::pair<std::int64_t, std::int64_t>> runs;
  const std::int64_t longest = random.one_in(5) ? 90 : 14;
  std::int64_t end = random.range(-30, 30);
  std::int64_t left = size;
  for (std::int64_t i = random.range(1, 6); size == 0 ? i > 0 : left > 0; --i) {
    const std::int64_t begin = end + random.range(0, 9);
    std::int64_t length = random.range(1, longest);
    if (size != 0) length = std::min(length, left);
    left -= length;
    runs.emplace_back(begin, length);
    end = begin + length;
  }
  const std::int64_t footprint = end - runs.front().first;
  const std::int64_t extent = footprint + random.range(0, 12);
  if (random.one_in(3)) random.shuffle(runs);
  std::vector<std::int64_t> lengths, displacements;
  for (const auto& [begin, length] : runs) {
    displacements.push_back(begin);
    lengths.push_back(length);
  }
  return resized(hindexed(lengths, displacements, Named::byte), 0, random.one_in(4) ? -extent : extent);
}

/// The shape of `count` items, whether or not there is room for it.
inline gpu::Shape shape_of_items(const plan::State& state, std::int64_t count) {
  gpu::Shape shape = gpu::shape_of(state.encoding);
  if (shape.lookup == gpu::Lookup::generic || !shape.repeat(count, state.extent)) return {};
  return shape;
}

inline std::optional<gpu::Pattern> pattern_of_items(const plan::State& state, std::int64_t count) {
  const gpu::Shape shape = shape_of_items(state, count);
  return shape.strided.depth == 0 ? std::nullopt : gpu::pattern_of(state.encoding, shape, state.extent);
}

}  // namespace typewarp::test
