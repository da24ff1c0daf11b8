// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace typewarp::host {

/// The engine's measured thresholds. The numbers come from bench/host; a test passes its own to reach every
/// branch with little data.
struct Policy {
  /// Work for which one more thread pays, in touched bytes: packed bytes plus a cache line a run.
  std::int64_t bytes_per_thread = std::int64_t{512} << 10;
  /// Parts that each thread gets on average, so that a thread that lost its core does not hold up the others.
  std::int64_t parts_per_thread = 4;
  /// Layout to layout: from this average run on, the runs of one side are used as the other side's packed
  /// buffer.
  std::int64_t direct_run = 1024;
  /// Layout to layout: bytes of the stack tile through which short runs go; at most `tile_capacity`.
  std::int64_t tile = std::int64_t{16} << 10;

  static constexpr std::int64_t cache_line = 64;
  /// Strided runs: software prefetch once so many cache lines are touched that they come from memory ...
  static constexpr std::int64_t prefetch_from = std::int64_t{96} << 10;
  /// ... and they lie at least so many bytes apart, too far for the hardware's prefetcher; ...
  static constexpr std::int64_t prefetch_stride = 256;
  /// ... then so many lines are on their way at any time.
  static constexpr std::int64_t prefetch_lines = 64;
  /// Contiguous bytes from which memcpy, which then writes past the caches, beats the engine's own loop.
  static constexpr std::int64_t memcpy_from = std::int64_t{1} << 20;
  /// A list of blocks of varying length becomes one of equal units where that makes it at most so many times
  /// longer.
  static constexpr std::int64_t most_units = 2;
  /// Half of the smallest first-level cache that is common today.
  static constexpr std::int64_t tile_capacity = std::int64_t{16} << 10;
};

}  // namespace typewarp::host
