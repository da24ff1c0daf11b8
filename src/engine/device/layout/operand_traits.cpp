// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/layout/operand_traits.hpp"

#include <cmath>

namespace typewarp::gpu {

void OperandTraits::be_items(const plan::State& state, std::int64_t count, std::byte* base, const Shape& item,
                             double run) {
  state_ = &state;
  count_ = count;
  base_ = base;
  irregular_run_ = run;
  shape_ = item;
  if (shape_.lookup != Lookup::generic && !shape_.repeat(count, state.extent)) {
    shape_ = {};
    shape_.lookup = Lookup::generic;
  }
}

std::int64_t OperandTraits::alignment() const noexcept {
  const auto bits = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(base_));
  if (contiguous()) return bits;
  if (shape_.lookup == Lookup::none) return bits | shape_.strided.grain();
  return bits | state_->encoding.grain | (count_ > 1 ? state_->extent : 0);
}

double OperandTraits::run() const noexcept {
  const bool regular = shape_.lookup == Lookup::none || shape_.lookup == Lookup::list;
  return regular ? static_cast<double>(shape_.strided.levels[0].count) : irregular_run_;
}

double OperandTraits::spread() const noexcept {
  if (state_ == nullptr) return 1;
  const layout::Node& root = *state_->layout.root;
  const auto span = static_cast<double>(root.true_ub - root.true_lb);
  const auto items = static_cast<double>(count_);
  const double all = span + (items - 1) * std::abs(static_cast<double>(state_->extent));
  return all / (items * static_cast<double>(root.size));
}

}  // namespace typewarp::gpu
