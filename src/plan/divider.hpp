// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/host_device.hpp"

#include <bit>
#include <cstdint>

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
struct Divider;

template <>
struct Divider<std::uint32_t> {
  std::uint32_t divisor;
  std::uint32_t multiplier;
  int shift;

  Divider() = default;
  explicit Divider(std::int64_t by)
      : divisor(static_cast<std::uint32_t>(by)), shift(static_cast<int>(std::bit_width(divisor - 1)) - 1) {
    const auto power = std::uint64_t{1} << (32 + shift);
    multiplier = static_cast<std::uint32_t>((power + divisor - 1) / divisor);
  }

  TYPEWARP_HD std::uint32_t quotient(std::uint32_t n) const {
    return static_cast<std::uint32_t>((std::uint64_t{n} * multiplier) >> 32) >> shift;
  }
};

template <>
struct Divider<std::uint64_t> {
  std::uint64_t divisor;
  std::uint64_t multiplier;
  int shift;

  Divider() = default;
  explicit Divider(std::int64_t by)
      : divisor(static_cast<std::uint64_t>(by)), shift(static_cast<int>(std::bit_width(divisor - 1)) - 1) {
    const auto power = static_cast<unsigned __int128>(1) << (64 + shift);
    multiplier = static_cast<std::uint64_t>((power + divisor - 1) / divisor);
  }

  TYPEWARP_HD std::uint64_t quotient(std::uint64_t n) const {
#ifdef TYPEWARP_ON_DEVICE
    return __umul64hi(n, multiplier) >> shift;
#else
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(n) * multiplier) >> 64) >> shift;
#endif
  }
};

}  // namespace typewarp::plan
