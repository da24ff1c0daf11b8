// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/batch/across_holes.hpp"
#include "engine/device/batch.hpp"
#include "engine/runtime/device_resources.hpp"
#include "engine/device/kernels/launch.hpp"
#include "engine/device/layout/operand.hpp"

namespace typewarp::gpu {

struct CopyBatch::State {
  int device;
  LongCopies table;
};

CopyBatch::CopyBatch(int device) : state_(new State{device, {}}) {}

CopyBatch::~CopyBatch() = default;

bool CopyBatch::add(const Side& destination, const Side& source, std::int64_t bytes) {
  Device& home = device(state_->device);
  const DeviceGuard guard(state_->device);
  const ByteRange all{0, bytes};
  const Operand to(destination, all, home);
  const Operand from(source, all, home);
  return state_->table.add(across_holes(ViewedCopy(to, from, bytes)));
}

void CopyBatch::remove(int number) noexcept { state_->table.remove(number); }

int CopyBatch::size() const noexcept { return state_->table.entries; }

void CopyBatch::clear() noexcept {
  LongCopies& table = state_->table;
  table.entries = 0;
  table.views_begin = LongCopies::room;
  table.tiles = 0;
  table.regular = true;
}

void CopyBatch::launch(const LaunchContext& context) const {
  const LongCopies& table = state_->table;
  if (table.entries == 0) return;
  device(state_->device).prepare();
  const DeviceGuard guard(state_->device);
  if (table.used() <= ShortCopies::room) {
    launch_copies(table.moved<ShortCopies>(), context);
  } else {
    launch_copies(table, context);
  }
}

}  // namespace typewarp::gpu
