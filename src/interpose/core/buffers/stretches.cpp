// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/buffers/stretches.hpp"

#include "engine/arguments.hpp"
#include "engine/dispatch.hpp"
#include "engine/device/gpu.hpp"
#include "plan/bounds.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace typewarp::interpose {
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
