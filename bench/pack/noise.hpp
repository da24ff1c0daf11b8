// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "places.hpp"

/// What regions are filled with to see what a move did to them.
namespace typewarp::bench {

/// A random number for each word of 8 bytes of a region (the finaliser of SplitMix64).
struct Noise {
  std::uint64_t seed;

  TYPEWARP_BENCH_HD std::uint64_t word(std::int64_t index) const {
    std::uint64_t bits = (seed << 40U) + static_cast<std::uint64_t>(index) + 1;
    bits *= 0x9e3779b97f4a7c15U;
    bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
    bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
    return bits ^ (bits >> 31U);
  }
  TYPEWARP_BENCH_HD std::uint8_t byte(std::int64_t at) const {
    return static_cast<std::uint8_t>(word(at / 8) >> (at % 8 * 8));
  }
};

}  // namespace typewarp::bench
