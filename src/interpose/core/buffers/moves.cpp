// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/buffers/moves.hpp"

#include "engine/arguments.hpp"
#include "engine/device/gpu.hpp"
#include "engine/dispatch.hpp"
#include "plan/bounds.hpp"
#include "transport/buffer/message_buffer.hpp"

#include <typewarp/engine.hpp>

#include <algorithm>
#include <utility>
#include <variant>

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

namespace {

constexpr std::int64_t few = 16;  ///< items of a repetition that are all asked about

/// Goes through a layout in the order of its packed stream.
class Walk {
 public:
  explicit Walk(Apart apart) : apart_(apart) {}

  void repeat(const void* first, std::int64_t count, std::int64_t stride, const layout::Node& child) {
    const auto* const run = std::get_if<layout::Run>(&child.shape);
    if (run != nullptr && stride == run->bytes) return add(first, count * child.size);
    if (count > few && apart_ == Apart::memories && lies_in_one(first, child) &&
        gpu::on_device(first) == gpu::on_device(at(first, (count - 1) * stride)))
      return add(first, count * child.size);
    for (std::int64_t i = 0; i < count; ++i) visit(at(first, i * stride), child);
  }
  Stretches take() noexcept { return std::move(found_); }

 private:
  void visit(const void* first, const layout::Node& node) {
    if (const auto* const run = std::get_if<layout::Run>(&node.shape)) {
      add(first, run->bytes);
    } else if (const auto* const repeated = std::get_if<layout::Repeat>(&node.shape)) {
      repeat(first, repeated->count, repeated->stride, *repeated->child);
    } else if (const auto* const blocks = std::get_if<layout::Blocks>(&node.shape)) {
      for (std::size_t i = 0; i < blocks->displacements.size(); ++i) {
        const std::int64_t count = blocks->counts.empty() ? 1 : blocks->counts[i];
        repeat(at(first, blocks->displacements[i]), count, blocks->stride, *blocks->child);
      }
    } else {
      const auto& sequence = std::get<layout::Sequence>(node.shape);
      for (std::size_t i = 0; i < sequence.members.size(); ++i)
        visit(at(first, sequence.displacements[i]), *sequence.members[i]);
    }
  }

  bool lies_in_one(const void* first, const layout::Node& node) const {
    Walk alone(apart_);
    alone.visit(first, node);
    return alone.found_.size() <= 1;
  }

  void add(const void* first, std::int64_t bytes) {
    if (bytes == 0) return;
    const std::uintptr_t page = reinterpret_cast<std::uintptr_t>(first) / 4096;
    const bool is_known = !found_.empty() && page == page_;
    const bool on_device = is_known ? on_device_ : gpu::on_device(first);
    if (found_.empty() || on_device != on_device_ || apart_ == Apart::blocks) {
      const std::int64_t begin = found_.empty() ? 0 : found_.back().packed.end;
      found_.push_back({{begin, begin}, first});
    }
    found_.back().packed.end += bytes;
    page_ = page;
    on_device_ = on_device;
  }

  Apart apart_;
  Stretches found_;
  std::uintptr_t page_ = 0;  ///< in which the last block begins
  bool on_device_ = false;
};

/// Calls `move(user, packed, range, route)` for what each stretch has of a range.
template <class Move>
void each_part(const Data& data, ByteRange range, const std::byte* packed, Move move) {
  const gpu::Side user = engine::user_side(data.address, data.count, data.plan);
  const auto end = [](const Stretch& stretch) { return stretch.packed.end; };
  auto stretch = std::ranges::upper_bound(*data.stretches, range.begin, {}, end);
  for (; stretch != data.stretches->end() && stretch->packed.begin < range.end; ++stretch) {
    const ByteRange part{std::max(range.begin, stretch->packed.begin),
                         std::min(range.end, stretch->packed.end)};
    const engine::SideLocation place{stretch->first, pointer_info(stretch->first)};
    move(user, place, engine::packed_side(packed + (part.begin - range.begin), part), part);
  }
}

}  // namespace

std::shared_ptr<const Stretches> stretches_of(const void* address, std::int64_t count, const Plan& plan,
                                              Apart apart) {
  if (count <= 0 || (apart == Apart::memories && !gpu::in_use())) return nullptr;
  Walk walk(apart);
  walk.repeat(at(address, plan.layout().offset), count, plan.extent(), *plan.layout().root);
  Stretches found = walk.take();
  return found.size() > 1 ? std::make_shared<const Stretches>(std::move(found)) : nullptr;
}

std::shared_ptr<const Stretches> stretches_of_buffer(const void* address, std::int64_t count,
                                                     const Plan& plan) {
  constexpr std::int64_t mapped_together = std::int64_t{2} << 20;  // at least, of a device's memory
  const auto bounds = gpu::in_use() ? plan::bounds(plan, count) : std::nullopt;
  if (!bounds || bounds->span() < mapped_together) return nullptr;
  const bool begins = gpu::on_device(at(address, bounds->lowest));
  const bool ends = gpu::on_device(at(address, bounds->end - 1));
  return begins == ends ? nullptr : stretches_of(address, count, plan);
}

void pack_stretches(const Data& data, ByteRange range, std::byte* packed) {
  each_part(
      data, range, packed,
      [&](const gpu::Side& user, const engine::SideLocation& place, const gpu::Side& to, ByteRange part) {
        engine::move("typewarp::pack", to, user, part, {-1, data.stream}, {engine::place_of(to), place});
      });
}

void unpack_stretches(const std::byte* packed, ByteRange range, const Data& data) {
  each_part(
      data, range, packed,
      [&](const gpu::Side& user, const engine::SideLocation& place, const gpu::Side& from, ByteRange part) {
        engine::move("typewarp::unpack", user, from, part, {-1, data.stream},
                     {place, engine::place_of(from)});
      });
}

}  // namespace typewarp::interpose
