// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/landings.hpp"

#include "exchange/landing_policy.hpp"
#include "plan/bounds.hpp"

#include <algorithm>
#include <utility>

namespace typewarp::exchange {
namespace {

double saved_by_landing(const Part& part) {
  const auto bounds = plan::bounds(part.plan, part.count);
  if (!bounds) return 0;
  const std::int64_t run = plan::average_run(part.plan, part.count, landing_policy.sector);
  return landing_policy.saved(part.bytes, run, bounds->span() / std::max<std::int64_t>(part.bytes / run, 1));
}

std::int64_t room_for(const Part& part) noexcept {
  constexpr std::int64_t alignment = 256;
  return (part.bytes + alignment - 1) / alignment * alignment;
}

}  // namespace

Landings landings_of(const Schedule& parts, const std::set<int>& across_a_link) {
  std::vector<const Part*> short_ones;
  std::int64_t bytes = 0;
  double saved = 0;
  for (const Part& part : parts.receives) {
    if (!across_a_link.contains(part.peer) || part.memory.kind != MemoryKind::device) continue;
    const double gain = saved_by_landing(part);
    if (gain == 0 || bytes + room_for(part) > landing_policy.most_bytes) continue;
    short_ones.push_back(&part);
    bytes += room_for(part);
    saved += gain;
  }
  Landings landings;
  if (saved <= landing_policy.cost) return landings;
  try {
    landings.memory = std::make_unique<gpu::DeviceBuffer>(parts.device, bytes);
  } catch (const GpuError&) {
    return landings;  // they are stored where they belong
  }
  std::byte* next = landings.memory->data();
  for (const Part* const part : short_ones)
    landings.places[part] = std::exchange(next, next + room_for(*part));
  return landings;
}

}  // namespace typewarp::exchange
