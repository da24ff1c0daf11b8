// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/streams/packed_receives.hpp"

#include "plan/bounds.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace typewarp::exchange {
namespace {

double saved_by_packing(const Part& part) {
  const auto bounds = plan::bounds(part.plan, part.count);
  if (!bounds) return 0;
  const std::int64_t run = plan::average_run(part.plan, part.count, packed_receive_policy.sector);
  const std::int64_t apart = bounds->span() / std::max<std::int64_t>(part.bytes / run, 1);
  const auto first =
      static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(part.buffer)) + bounds->lowest;
  return packed_receive_policy.saved(part.bytes, run, apart, plan::word(part.plan, part.count, first));
}

std::int64_t room_for(const Part& part) noexcept {
  constexpr std::int64_t alignment = 256;
  return (part.bytes + alignment - 1) / alignment * alignment;
}

}  // namespace

PackedReceiveBuffers packed_receives_of(const Schedule& parts, const std::set<int>& across_a_link) {
  std::vector<const Part*> short_ones;
  std::int64_t bytes = 0;
  double saved = 0;
  for (const Part& part : parts.receives) {
    if (!across_a_link.contains(part.peer) || part.memory.kind != MemoryKind::device) continue;
    const double gain = saved_by_packing(part);
    if (gain == 0 || bytes + room_for(part) > packed_receive_policy.most_bytes) continue;
    short_ones.push_back(&part);
    bytes += room_for(part);
    saved += gain;
  }
  PackedReceiveBuffers packed_receives;
  if (saved <= packed_receive_policy.cost) return packed_receives;
  try {
    packed_receives.memory = std::make_unique<gpu::DeviceAllocation>(parts.device, bytes);
  } catch (const GpuError&) {
    return packed_receives;  // they are stored where they belong
  }
  std::byte* next = packed_receives.memory->data();
  for (const Part* const part : short_ones)
    packed_receives.places[part] = std::exchange(next, next + room_for(*part));
  return packed_receives;
}

}  // namespace typewarp::exchange
