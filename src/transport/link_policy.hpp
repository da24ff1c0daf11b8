// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

namespace typewarp::transport {

/// The numbers of the protocols gpu_aware and ucx.
struct LinkPolicy {
  /// Memory of a device for packed pieces, half of it for sending and half for receiving, and the longest
  /// piece. Never exceeded.
  std::int64_t pool_bytes = std::int64_t{64} << 20;
  std::int64_t piece_bytes = std::int64_t{4} << 20;
  /// Pieces of a shorter message are shorter, so that packing, the link and unpacking still overlap; but not
  /// so short that what each of them costs by itself counts.
  std::int64_t least_piece_bytes = std::int64_t{1} << 20;
  std::int64_t pieces = 16;

  /// For a message of `bytes` bytes, of which both sides can take pieces of up to `longest`.
  constexpr std::int64_t piece_of(std::int64_t bytes, std::int64_t longest) const noexcept {
    return std::min(longest, std::max(least_piece_bytes, (bytes + pieces - 1) / pieces));
  }
};
inline constexpr LinkPolicy link_policy;

}  // namespace typewarp::transport
