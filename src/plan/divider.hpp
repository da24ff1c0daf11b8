// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/host_device.hpp"

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace typewarp::plan {

/// Division of 0 <= n < 2^(bits of Index - 1) by a divisor >= 2 known before the launch: one multiply-high
/// and one shift, where an integer division costs tens of instructions.
///
/// With s = ceil(log2 d), B = the bits of Index - 1 and m = ceil(2^(B+s) / d) = (2^(B+s) + e) / d, 0 <= e <
/// d: n*m / 2^(B+s) exceeds n/d by n*e / (d * 2^(B+s)) < 1/d, too little to reach the next integer.
///
/// A divisor of 1 would need one more shift in every division, so whoever divides by 1 has to see that
/// itself: a Divider can be made for it, but gives no quotient. A default-constructed one is unset, because
/// arrays of them are made for every launch.
template <typename Index>
struct Divider {
  /// Holds products of two indices.
  using Wide = std::conditional_t<sizeof(Index) == sizeof(std::uint32_t), std::uint64_t, unsigned __int128>;
  static constexpr int bits = std::numeric_limits<Index>::digits;

  Index divisor;
  Index multiplier;
  int shift;

  Divider() = default;
  explicit Divider(std::int64_t by)
      : divisor(static_cast<Index>(by)), shift(static_cast<int>(std::bit_width(divisor - 1)) - 1) {
    const Wide power = static_cast<Wide>(1) << (bits + shift);
    multiplier = static_cast<Index>((power + divisor - 1) / divisor);
  }

  TYPEWARP_HD Index quotient(Index n) const {
    return static_cast<Index>((static_cast<Wide>(n) * multiplier) >> bits) >> shift;
  }
};

}  // namespace typewarp::plan
