// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/device_resources.hpp"
#include "engine/runtime/enqueue.hpp"
#include "engine/runtime/kernel_loader.hpp"
#include "engine/device/kernels/pattern.cuh"

#include <algorithm>

namespace typewarp::gpu {
namespace {

constexpr PatternPolicy pattern_policy;

void start(const void* kernel, const Groups& groups, void* move, const LaunchContext& context) {
  constexpr int warp = 32;
  const int at_a_time = context.occupancy == OccupancyLimit::link ? pattern_policy.paced_blocks
                                                                  : pattern_policy.blocks_per_multiprocessor;
  const std::int64_t most = std::int64_t{at_a_time} * device(context.device).multiprocessors();
  const int threads = (groups.slots * groups.at_a_time + warp - 1) / warp * warp;
  const std::int64_t blocks = std::clamp<std::int64_t>(groups.tiles, 1, most);
  const std::size_t shared = std::max(static_cast<std::size_t>(groups.image + wide), sizeof(Pattern::places));
  enqueue_counting(context, kernel, blocks, threads, move, shared);
}

const KernelLoader loader([](const Device&) {
  load_kernel(reinterpret_cast<const void*>(pack_pattern<pattern_policy.unit>));
  load_kernel(reinterpret_cast<const void*>(scatter_pattern));
});

}  // namespace

void launch_pattern(Direction direction, const LaunchContext& context, const Pattern& pattern,
                    std::byte* base, std::byte* packed, ByteRange range) {
  if (direction == Direction::pack) {
    PatternPack move =
        pattern_pack(pattern, pattern_policy, base, packed, range, device(context.device).multiprocessors());
    return start(reinterpret_cast<const void*>(pack_pattern<pattern_policy.unit>), move.groups, &move,
                 context);
  }
  PatternScatter move =
      pattern_unpack(pattern, pattern_policy, base, packed, range, device(context.device).multiprocessors());
  start(reinterpret_cast<const void*>(scatter_pattern), move.groups, &move, context);
}

bool launch_pattern_copy(const LaunchContext& context, const Pattern& destination, std::byte* base,
                         const Pattern& source, const std::byte* source_base, ByteRange range) {
  std::optional<PatternScatter> move = pattern_copy(destination, base, source, source_base, pattern_policy,
                                                    range, device(context.device).multiprocessors());
  if (move) start(reinterpret_cast<const void*>(scatter_pattern), move->groups, &*move, context);
  return move.has_value();
}

}  // namespace typewarp::gpu
