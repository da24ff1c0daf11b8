// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/bounds.hpp"

#include <algorithm>

namespace typewarp::transport {

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

}  // namespace typewarp::transport
