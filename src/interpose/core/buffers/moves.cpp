// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/buffers/moves.hpp"

#include "interpose/core/buffers/stretches.hpp"
#include "transport/buffer/message_buffer.hpp"

#include <typewarp/engine.hpp>

#include <algorithm>
#include <utility>

namespace typewarp::interpose {

// Whoever needs the bytes has asked before.
Moves::~Moves() {
  while (!over()) continue;
}

bool Moves::over() noexcept {
  try {
    return reached(true);
  } catch (const GpuError&) {
    return queues_.empty();
  }
}

void Moves::pack(const Data& data, ByteRange range, void* packed) {
  if (data.opaque) return data.opaque->pack(data.address, data.count, packed, range.end - range.begin);
  follow(data, packed);
  if (data.is_split()) return pack_stretches(data, range, static_cast<std::byte*>(packed));
  typewarp::pack(data.address, data.count, data.plan, packed, range, data.stream);
}

void Moves::unpack(const void* packed, ByteRange range, const Data& data) {
  if (data.opaque) return data.opaque->unpack(packed, range.end - range.begin, data.address, data.count);
  follow(data, packed);
  if (data.is_split()) return unpack_stretches(static_cast<const std::byte*>(packed), range, data);
  typewarp::unpack(packed, data.address, data.count, data.plan, range, data.stream);
}

template <class OneByOne>
std::vector<Piece> Moves::follow(std::span<const PlacedData> all, const void* packed, OneByOne one_by_one) {
  std::vector<Piece> pieces;
  pieces.reserve(all.size());
  for (const auto& [data, place] : all) {
    if (data.bytes() == 0) continue;
    if (data.is_moved_packed()) {
      one_by_one(data, place);
    } else {
      follow(data, packed);
      pieces.push_back({data.address, data.count, data.plan, place});
    }
  }
  return pieces;
}

void Moves::pack(std::span<const PlacedData> all, std::byte* packed) {
  const auto alone = [&](const Data& data, std::int64_t place) { pack(data, packed + place); };
  const std::vector<Piece> pieces = follow(all, packed, alone);
  if (!pieces.empty()) typewarp::pack(pieces, packed, all.front().data.stream);
}

void Moves::unpack(const std::byte* packed, std::span<const PlacedData> all) {
  const auto alone = [&](const Data& data, std::int64_t place) {
    unpack(packed + place, data.bytes(), data);
  };
  const std::vector<Piece> pieces = follow(all, packed, alone);
  if (!pieces.empty()) typewarp::unpack(packed, pieces, all.front().data.stream);
}

void Moves::follow(const Data& data, const void* packed) {
  if (!gpu::in_use()) return;
  follow(data.stream, packed);
  if (gpu::stream_device(data.stream) >= 0) return;
  if (!data.is_split()) return follow(data.stream, at(data.address, data.plan.layout().offset));
  for (const Stretch& stretch : *data.stretches) follow(data.stream, stretch.first);
}

// Either end's device may be the one that moves, on its own default stream (engine.hpp).
void Moves::follow(Stream stream, const void* address) {
  int device = gpu::stream_device(stream);
  if (device < 0) {
    const PointerInfo memory = pointer_info(address);
    if (memory.kind != MemoryKind::device && memory.kind != MemoryKind::managed) return;
    device = memory.device;
  }
  const auto is_known = [&](const Queue& queue) {
    return queue.device == device && queue.stream == stream && !queue.marked;
  };
  if (std::ranges::none_of(queues_, is_known)) queues_.push_back({device, stream, gpu::Event(device)});
}

bool Moves::reached(bool block) {
  for (Queue& queue : queues_) {
    if (!std::exchange(queue.marked, true)) queue.point->record(queue.stream);
  }
  while (!queues_.empty() && transport::reached(queues_.back().point, block)) queues_.pop_back();
  return queues_.empty();
}

transport::Staging staging_for_moves(std::int64_t bytes) {
  using Kind = transport::BufferPath::Kind;
  return transport::Staging(gpu::in_use() ? Kind::device : Kind::host, bytes);
}

}  // namespace typewarp::interpose
