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
};
inline constexpr DirectPolicy direct_policy;

}  // namespace typewarp::transport
