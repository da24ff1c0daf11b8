// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/kernels/transpose.hpp"

namespace typewarp::gpu {

using Extents = std::array<std::int64_t, Strided::capacity>;  ///< cells of a tile, by axis
using Order = std::array<std::size_t, Strided::capacity>;     ///< axes, fastest first

/// The part of an index space that a range of words meets, and where it begins.
struct Window {
  Axes axes;
  std::int64_t packed = 0;  ///< words
  std::int64_t memory = 0;  ///< bytes
};

/// Cuts the outermost axes down to the indices that words [first, last) meet; first < last.
Window window(const Axes& axes, std::int64_t first, std::int64_t last);

Order packed_order();
Order memory_order(const Axes& axes);

std::int64_t volume(const Axes& axes, const Extents& extents);

/// The tile of at most `capacity` cells that holds the longest rows in either order.
Extents box(const Axes& axes, const Order& by_packed, const Order& by_memory, std::int64_t capacity);

}  // namespace typewarp::gpu
