// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/gpu/cuda/layout/offsets.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace typewarp::gpu {

Offsets::Offsets(std::int64_t count, std::int64_t low, std::int64_t high, std::int64_t unit) {
  using Narrow = std::numeric_limits<std::int32_t>;
  const auto fit = [&](int scale) { return low >> scale >= Narrow::min() && high >> scale <= Narrow::max(); };
  constexpr int most = 30;  // so that the scale is a number of 4 bytes too
  const int unit_log2 = std::min(std::countr_zero(static_cast<std::uint64_t>(unit)), most);
  if (!fit(0)) {
    if (fit(unit_log2)) {
      scale_log2_ = unit_log2;
    } else {
      width_ = sizeof(std::int64_t);
    }
  }
  bytes_.resize(static_cast<std::size_t>(count * width_));
}

}  // namespace typewarp::gpu
