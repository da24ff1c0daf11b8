// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transfer.hpp"

#include <typewarp/layout.hpp>

#include <algorithm>

/// Layouts in memory, whatever is done with them there.
namespace typewarp::bench {
namespace {

constexpr std::int64_t alignment = 256;

std::int64_t aligned(std::int64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

}  // namespace

double floor_us(const Rates& rates, const Transfer& transfer, Direction direction) {
  const bool on_device = transfer.memory == MemoryKind::device;
  const std::int64_t bytes = transfer.placed.bytes();
  const std::int64_t packed_segments = on_device ? (bytes + segment_bytes - 1) / segment_bytes : 0;
  const auto touched = static_cast<double>((transfer.placed.segments + packed_segments) * segment_bytes);
  const double link = direction == Direction::pack ? rates.to_host : rates.to_device;
  const double link_us = on_device ? 0 : static_cast<double>(bytes) / link;
  return std::max(touched / rates.copy, link_us) + rates.launch_us;
}

void verify(Bench& bench, const Transfer& transfer, Direction direction, const std::vector<Mover>& movers) {
  const DevicePlaces packed_places(run_of(transfer.placed.bytes()));
  const Side user{*transfer.placed.places, transfer.placed.buffer};
  const Side packed{packed_places, transfer.packed, transfer.memory == MemoryKind::device};
  const bool packing = direction == Direction::pack;
  verify(packing ? user : packed, packing ? packed : user, movers, bench.queue, bench.pool.staging);
}

std::string_view name(Direction direction) noexcept {
  return direction == Direction::pack ? "pack" : "unpack";
}

Placed place(DevicePool& pool, const Datatype& type, std::int64_t count) {
  const Plan plan = commit(type);
  Placed placed{nullptr, count, plan,
                std::make_shared<DevicePlaces>(repeat(plan.layout(), count, plan.extent()))};
  const std::int64_t below = aligned(std::max<std::int64_t>(0, -placed.begin()));
  placed.buffer = pool.reserve(below + std::max<std::int64_t>(placed.end(), 1)) + below;
  placed.segments = touched_segments(
      placed.layout(), static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(placed.buffer)));
  return placed;
}

void Transfer::run(Direction direction, cudaStream_t stream) const {
  if (direction == Direction::pack) {
    pack(placed.buffer, placed.count, placed.plan, packed, stream);
  } else {
    unpack(packed, placed.buffer, placed.count, placed.plan, stream);
  }
}

}  // namespace typewarp::bench
