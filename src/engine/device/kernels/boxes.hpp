// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/layout/described.hpp"
#include "engine/runtime/box.hpp"

#include <cstddef>
#include <vector>

/// A move as a list of copies that copy engines can make without any kernel. Plain functions of values.
namespace typewarp::gpu {

struct BoxPolicy {
  /// Copies of one move, at most: each takes 0.9 us to host memory, 1.6 us from there (H100), and a list of
  /// 4,096 from there most likely ended in a launch failure (docs/internals/choice.md).
  std::size_t most = 512;
};
inline constexpr BoxPolicy box_policy;

/// Makes `list` boxes that hold each byte of `range` once. False where more than `most` are needed; the list
/// is anything then.
bool boxes(const Described& destination, const Described& source, ByteRange range, std::size_t most,
           std::vector<Box>& list);

}  // namespace typewarp::gpu
