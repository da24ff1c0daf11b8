// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/gpu/cuda/layout/operand.hpp"

#include "engine/gpu/displaced.hpp"

#include <algorithm>
#include <cmath>

namespace typewarp::gpu {
namespace {

/// The address by which `device` reaches `base`, which differs for host memory registered on some systems.
std::byte* on_device(std::byte* base, const Device& device) {
  if (device.host_pointers_usable()) return base;
  cudaPointerAttributes attributes{};
  TYPEWARP_CUDA(cudaPointerGetAttributes(&attributes, base));
  return attributes.type == cudaMemoryTypeHost ? static_cast<std::byte*>(attributes.devicePointer) : base;
}

}  // namespace

void prepare(const Side& side, int device_id) {
  if (side.plan == nullptr) return;
  const Device& home = device(device_id);
  const DeviceGuard guard(device_id);
  const plan::State& state = plan::state_of(*side.plan);
  const bool generic = home.generic_only() || prepared(state, device_id).shape().lookup == Lookup::generic;
  if (generic) prepared_generic(state, device_id);
}

Operand::Operand(const Side& side, ByteRange range, const Device& device)
    : device_(device.id()),
      memory_(side.memory),
      on_peer_(side.memory == MemoryKind::device && side.device >= 0 && side.device != device.id()),
      begin_(range.begin),
      count_(side.count) {
  if (side.plan == nullptr) {
    base_ = displaced(on_device(static_cast<std::byte*>(side.address), device), -range.begin);
    shape_.strided.add({range.end, 1});
    return;
  }
  state_ = &plan::state_of(*side.plan);
  base_ = on_device(displaced(side.address, state_->layout.offset), device);
  prepared_ = device.generic_only() ? &prepared_generic(*state_, device_) : &prepared(*state_, device_);
  shape_ = prepared_->shape();
  if (shape_.lookup != Lookup::generic && !shape_.repeat(side.count, state_->extent)) {
    shape_ = {};
    shape_.lookup = Lookup::generic;
  }
}

std::byte* Operand::place(std::int64_t packed) const noexcept { return displaced(base_, packed); }

std::int64_t Operand::alignment() const noexcept {
  const auto bits = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(base_));
  if (contiguous()) return bits;
  if (shape_.lookup == Lookup::none) return bits | shape_.strided.grain();
  return bits | state_->encoding.grain | (count_ > 1 ? state_->extent : 0);
}

double Operand::run() const noexcept {
  const bool regular = shape_.lookup == Lookup::none || shape_.lookup == Lookup::list;
  return regular ? static_cast<double>(shape_.strided.levels[0].count) : prepared_->run();
}

double Operand::spread() const noexcept {
  if (state_ == nullptr) return 1;
  const layout::Node& root = *state_->layout.root;
  const auto span = static_cast<double>(root.true_ub - root.true_lb);
  const auto items = static_cast<double>(count_);
  const double all = span + (items - 1) * std::abs(static_cast<double>(state_->extent));
  return all / (items * static_cast<double>(root.size));
}

View Operand::view(ByteRange range, int word_log2, Lookup& lookup) const {
  const bool levels = shape_.fits(word_log2);
  lookup = levels ? shape_.lookup : Lookup::generic;
  View view = levels ? levels_view(shape_, prepared_ != nullptr ? prepared_->lists() : Lists{}, base_,
                                   range.begin, word_log2)
                     : generic_view(range.begin);
  view.dense = dense();
  bound(view, range);
  return view;
}

View Operand::generic_view(std::int64_t begin) const {
  View view;
  view.base = base_;
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
  view.lowest = displaced(base_, std::min(first, last) + root.true_lb);
  view.highest = displaced(base_, std::max(first, last) + root.true_ub);
}

}  // namespace typewarp::gpu
