// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/bounds.hpp"

#include "layout/node.hpp"
#include "plan/state.hpp"

#include <algorithm>

namespace typewarp::plan {
std::int64_t average_run(const Plan& plan, std::int64_t count) {
  const layout::Node& root = *plan.layout().root;
  if (std::holds_alternative<layout::Run>(root.shape) && plan.extent() == plan.size()) {
    return plan.size() * count;
  }
  return root.size / layout::runs(root);
}

std::int64_t average_run(const Plan& plan, std::int64_t count, std::int64_t sector) {
  constexpr std::int64_t few_sectors = 4;
  const layout::Node& root = *plan.layout().root;
  const bool apart = root.true_ub - root.true_lb <= plan.extent();
  const bool small_items = count > 1 && apart && plan.extent() > 0 && plan.extent() <= few_sectors * sector;
  const std::int64_t shared = small_items ? sector * plan.size() / plan.extent() : 0;
  return std::max(average_run(plan, count), std::min(shared, sector));
}

std::int64_t word(const Plan& plan, std::int64_t count, std::int64_t first) {
  const std::int64_t bits = state_of(plan).encoding.grain | (count > 1 ? plan.extent() : 0) | first;
  return bits & -bits;
}

std::optional<Bounds> bounds(const Plan& plan, std::int64_t count) {
  if (count <= 0 || plan.size() == 0) return std::nullopt;
  const Layout& layout = plan.layout();
  std::int64_t last = 0;  // from the first item to the last
  Bounds found{};
  std::int64_t span = 0;
  if (__builtin_mul_overflow(count - 1, plan.extent(), &last) ||
      __builtin_add_overflow(layout.offset, layout.root->true_lb, &found.lowest) ||
      __builtin_add_overflow(layout.offset, layout.root->true_ub, &found.end) ||
      __builtin_add_overflow(found.lowest, std::min<std::int64_t>(last, 0), &found.lowest) ||
      __builtin_add_overflow(found.end, std::max<std::int64_t>(last, 0), &found.end) ||
      __builtin_sub_overflow(found.end, found.lowest, &span)) {
    return std::nullopt;
  }
  return found;
}

}  // namespace typewarp::plan
