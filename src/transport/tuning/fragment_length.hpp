// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace typewarp::transport {

/// How long the pieces of a message of `bytes` bytes are best. Nothing travels before the first piece is
/// packed, and each piece costs time by itself: so they are as long as they are many, counted in `scale`, but
/// not shorter than that, nor longer than `longest`.
inline std::int64_t piece_length(std::int64_t bytes, std::int64_t scale, std::int64_t longest) noexcept {
  constexpr double grain = 4096;
  const double best = std::sqrt(static_cast<double>(bytes) * static_cast<double>(scale));
  const auto length = static_cast<std::int64_t>(std::ceil(best / grain) * grain);
  return std::min(longest, std::max(scale, length));
}

/// The longest that both ends can take, where 0 is any, or `any` if both can take that.
inline std::int64_t shorter_fragment(std::int64_t one, std::int64_t other, std::int64_t any) noexcept {
  if (one == 0 && other == 0) return any;
  if (one == 0 || other == 0) return std::max(one, other);
  return std::min(one, other);
}

}  // namespace typewarp::transport
