// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/batch/batch.hpp"

#include "engine/device/batch.hpp"
#include "engine/runtime/displaced.hpp"
#include "engine/device/kernels/launch.hpp"
#include "engine/device/layout/operand.hpp"

#include <bit>
#include <list>

namespace typewarp::gpu {
namespace {

/// A member as kernels see it.
struct ViewedPiece {
  BatchEntry entry;
  View view;
  std::uint32_t tiles;
};

ViewedPiece entry_of(const BatchMember& member, const Device& device) {
  const ByteRange all{0, member.bytes};
  const Operand user(member.user, all, device);
  const auto packed = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(member.packed));
  const std::int64_t bits = wide | user.alignment() | packed;
  const int word_log2 = std::countr_zero(static_cast<std::uint64_t>(bits | member.bytes));
  ViewedPiece result{};
  result.entry.packed = Operand({nullptr, member.bytes, member.packed}, all, device).place(0);
  result.entry.words = static_cast<std::uint32_t>(member.bytes >> word_log2);
  result.entry.word_log2 = static_cast<std::uint8_t>(word_log2);
  result.view = user.view(all, word_log2, result.entry.lookup);
  result.tiles = batch_tiles(member.bytes >> word_log2, word_log2);
  return result;
}

/// Fills tables one after the other.
template <typename Table>
std::vector<std::unique_ptr<Table>> fill(const std::vector<ViewedPiece>& entries) {
  std::vector<std::unique_ptr<Table>> tables;
  for (const ViewedPiece& entry : entries) {
    if (!tables.empty() && tables.back()->add(entry.entry, entry.view, entry.tiles)) continue;
    tables.push_back(std::make_unique<Table>());
    tables.back()->add(entry.entry, entry.view, entry.tiles);
  }
  return tables;
}

}  // namespace

struct BatchKernels::State {
  /// The table of one kernel in the device's memory.
  struct Uploaded {
    Uploaded(Device& home, BatchSize all) : memory(home, sizeof(PreparedBatch)), size(all) {}

    DeviceMemory memory;
    BatchSize size;
  };

  int device;
  std::list<Uploaded> uploaded;
  std::vector<std::unique_ptr<ShortBatch>> shorts;  ///< one at most
  std::vector<std::unique_ptr<LongBatch>> longs;
  std::vector<BatchMember> alone;  ///< too large, or with hints: moved by copy()

  void upload(const std::vector<std::unique_ptr<PreparedBatch>>& tables) {
    Device& home = gpu::device(device);
    std::vector<Upload> parts;
    for (const auto& table : tables) {
      const Uploaded& place = uploaded.emplace_back(home, BatchSize{table->tiles, table->regular});
      parts.push_back({place.memory.data(), table.get(), sizeof(PreparedBatch)});
    }
    gpu::upload(home, parts);
  }

  void enqueue(Direction direction, const LaunchContext& context) const {
    gpu::device(device).prepare();
    const DeviceGuard guard(device);
    for (const Uploaded& table : uploaded) {
      launch_batch(reinterpret_cast<const PreparedBatch*>(table.memory.data()), table.size, direction,
                   context);
    }
    for (const auto& table : shorts) launch_batch(*table, direction, context);
    for (const auto& table : longs) launch_batch(*table, direction, context);
    for (const BatchMember& member : alone) {
      const Side packed{nullptr, member.bytes, member.packed};
      const bool packing = direction == Direction::pack;
      copy(packing ? packed : member.user, packing ? member.user : packed, {0, member.bytes}, context);
    }
  }
};

BatchKernels::BatchKernels(const std::vector<BatchMember>& members, int device_id, Use use)
    : state_(new State{device_id, {}, {}, {}, {}}) {
  Device& home = device(device_id);
  const DeviceGuard guard(device_id);
  std::vector<ViewedPiece> entries;
  for (const BatchMember& member : members) {
    if (member.bytes <= launch_limit && hints_of(member.user.plan, nullptr).empty()) {
      entries.push_back(entry_of(member, home));
    } else {
      state_->alone.push_back(member);
    }
  }
  if (use == Use::often) {
    state_->upload(fill<PreparedBatch>(entries));
    return;
  }
  state_->shorts = fill<ShortBatch>(entries);
  if (state_->shorts.size() > 1) {
    state_->shorts.clear();
    state_->longs = fill<LongBatch>(entries);
  }
}

BatchKernels::~BatchKernels() = default;

void BatchKernels::pack(const LaunchContext& context) const { state_->enqueue(Direction::pack, context); }

void BatchKernels::unpack(const LaunchContext& context) const { state_->enqueue(Direction::unpack, context); }

}  // namespace typewarp::gpu
