// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/tuning/fragment_length.hpp"

#include <cstdint>

namespace typewarp::transport {

/// The numbers of the protocols gpu_aware and ucx.
struct GpuChannelPolicy {
  /// Nothing travels before the first piece is packed, and each piece costs time by itself, some 12 us by UCX
  /// between two H200: so pieces are as long as they are many, counted in this length; but not shorter.
  std::int64_t piece_scale = std::int64_t{2} << 20;

  /// For a message of `bytes` bytes, of which both sides can take pieces of up to `longest`.
  std::int64_t piece_of(std::int64_t bytes, std::int64_t longest) const noexcept {
    return piece_length(bytes, piece_scale, longest);
  }
};
inline constexpr GpuChannelPolicy link_policy;

}  // namespace typewarp::transport
