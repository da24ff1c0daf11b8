// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/layout/operand.hpp"

#include "engine/runtime/displaced.hpp"

#include <algorithm>

namespace typewarp::gpu {

void prepare(const Side& side, int device_id) {
  if (side.plan == nullptr) return;
  const DeviceGuard guard(device_id);
  const plan::State& state = plan::state_of(*side.plan);
  if (prepared(state, device_id).shape().lookup == Lookup::generic) prepared_generic(state, device_id);
}

Operand::Operand(const Side& side, ByteRange range, const Device& device, bool generic)
    : OperandTraits(side.memory,
                    side.memory == MemoryKind::device && side.device >= 0 && side.device != device.id()),
      device_(device.id()),
      begin_(range.begin) {
  if (side.plan == nullptr) {
    be_packed(displaced(device.address_of(static_cast<std::byte*>(side.address)), -range.begin), range.end);
    return;
  }
  const plan::State& state = plan::state_of(*side.plan);
  std::byte* const base = device.address_of(displaced(side.address, state.layout.offset));
  prepared_ = generic ? &prepared_generic(state, device_) : &prepared(state, device_);
  be_items(state, side.count, base, prepared_->shape(), prepared_->run());
  if (shape().lookup != Lookup::generic) pattern_ = prepared_->pattern(shape());
}

View Operand::view(ByteRange range, int word_log2, Lookup& lookup) const {
  const bool levels = shape().fits(word_log2);
  lookup = levels ? shape().lookup : Lookup::generic;
  View view = levels ? levels_view(shape(), prepared_ != nullptr ? prepared_->lists() : Lists{}, base(),
                                   range.begin, word_log2)
                     : generic_view(range.begin);
  view.dense = dense();
  bound(view, range);
  return view;
}

View Operand::generic_view(std::int64_t begin) const {
  View view;
  view.base = base();
  view.lists = prepared_generic(*state_, device_).lists();
  view.lists.extent = state_->extent;
  view.lists.origin = begin;
  return view;
}

void Operand::bound(View& view, ByteRange range) const {
  if (range.begin == range.end) return;
  if (state_ == nullptr) {
    view.lowest = place(std::max(range.begin, begin_));
    view.highest = place(range.end);
    return;
  }
  const layout::Node& root = *state_->layout.root;
  const std::int64_t first = range.begin / state_->size * state_->extent;
  const std::int64_t last = (range.end - 1) / state_->size * state_->extent;
  view.lowest = displaced(base(), std::min(first, last) + root.true_lb);
  view.highest = displaced(base(), std::max(first, last) + root.true_ub);
}

}  // namespace typewarp::gpu
