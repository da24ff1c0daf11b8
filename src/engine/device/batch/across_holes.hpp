// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/batch/copy_table.hpp"

namespace typewarp::gpu {

/// Bytes from run to run, for each byte of a run, at most: lanes of holes move nothing.
inline constexpr std::int64_t most_spread = 4;

/// The same copy, counted in bytes of the destination with those of its holes, if it moves short words of
/// runs that are equally long, and equally far apart, on both sides, such as 17 bytes of every 24. A warp
/// then stores to each sector once, and sectors are what a link carries (decision 101). Others as they are.
ViewedCopy across_holes(const ViewedCopy& copy);

}  // namespace typewarp::gpu
