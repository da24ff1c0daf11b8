// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace typewarp::transport {

/// The numbers of the protocol direct.
struct DirectPolicy {
  /// Bytes of the wire of a plan that is asked for; a longer one would take long to read, and messages of it
  /// go in pieces.
  std::int64_t longest_wire = std::int64_t{16} << 20;
  /// Plans of other ranks that are kept for their next messages, and the bytes that they had on the wire.
  std::size_t kept_plans = 1024;
  std::int64_t kept_wire_bytes = std::int64_t{64} << 20;

  /// One kernel from layout to layout wastes a link where runs are short, pieces cost a launch each at either
  /// end: so one kernel moves this many bytes at the most, unless the runs of both sides have this many on
  /// average, or no link lies between.
  std::int64_t one_kernel_bytes = std::int64_t{2} << 20;
  std::int64_t one_kernel_run = 64;
  /// Else packed pieces of so many bytes, in device memory of at most so many.
  std::int64_t piece_bytes = std::int64_t{4} << 20;
  std::int64_t pool_bytes = std::int64_t{32} << 20;

  /// `run`: bytes that lie together on average, on that side where they are fewer. `near`: both sides lie
  /// with one device.
  constexpr bool prefers_pieces(std::int64_t bytes, std::int64_t run, bool near) const noexcept {
    return !near && bytes > one_kernel_bytes && run < one_kernel_run;
  }
};
inline constexpr DirectPolicy direct_policy;

}  // namespace typewarp::transport
